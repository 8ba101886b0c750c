import type { Clock } from '../core/clock.ts'
import type { ConversationId } from '../core/ids.ts'
import { runStatuses, isStopped } from '../core/run-status.ts'
import { Ownership } from '../runtime/ownership/leases.ts'
import type { Store } from './directory-runtimes.ts'

/** Whether a living process drives a conversation. It only reads leases: it is the owner of nothing. */
export function isDriven(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  id: ConversationId,
): boolean {
  return new Ownership({ store, clock, owner: '' }).livingOwner(id) !== undefined
}

/** Whether something in it has not stopped. */
export function hasOpenRuns(store: Pick<Store, 'count'>, conversationId: ConversationId): boolean {
  const open = runStatuses.filter((status) => !isStopped(status))
  return open.some((status) => store.count('runs', { conversationId, status }) > 0)
}
