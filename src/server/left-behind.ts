import type { Clock } from '../core/clock.ts'
import type { ConversationId } from '../core/ids.ts'
import { runStatuses, isStopped } from '../core/run-status.ts'
import { Ownership } from '../runtime/ownership/leases.ts'
import type { Store } from './directory-runtimes.ts'

/** Whether a live process drives a conversation. Only reads leases, never acquires one. */
export function isDriven(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  id: ConversationId,
): boolean {
  return new Ownership({ store, clock, owner: '' }).livingOwner(id) !== undefined
}

/** Whether it has active runs. */
export function hasOpenRuns(store: Pick<Store, 'count'>, conversationId: ConversationId): boolean {
  const open = runStatuses.filter((status) => !isStopped(status))
  return open.some((status) => store.count('runs', { conversationId, status }) > 0)
}
