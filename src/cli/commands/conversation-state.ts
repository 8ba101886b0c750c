import type { Conversation } from '../../core/conversation.ts'
import { isStopped } from '../../core/run-status.ts'
import type { StoredRun } from '../../core/run.ts'
import { leftBelow } from '../../runtime/views/left-below.ts'
import type { Reader, Store } from '../../store/port.ts'
import { livingOwners } from '../remote/living-owner.ts'
import { stateText } from '../terminal/branch-tree.ts'

/** A conversation as a list shows it. */
export interface ListedConversation {
  readonly conversation: Conversation
  /** The last one on the main branch. */
  readonly run: StoredRun | undefined
  /** What still works or is paused below it; of what its process has left behind, that it has exited. */
  readonly left: string | null
}

export function listedConversation(store: Store, conversation: Conversation): ListedConversation {
  const run = lastRun(store, conversation)
  const owners = livingOwners(store)
  return { conversation, run, left: leftBelow(store, run, (id) => owners(id) !== undefined) }
}

function lastRun(store: Reader, { id: conversationId }: Conversation): StoredRun | undefined {
  const main = store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]
  if (!main) return undefined
  return store.find('runs', { where: { branchId: main.id }, orderBy: 'id', descending: true, limit: 1 })[0]
}

/** `completed: 1 subagent paused`; `-` where nothing has run yet. */
export function conversationState({ run, left }: ListedConversation): string {
  if (!run) return '-'
  if (left === null) return stateText(run)
  return isStopped(run.status) ? `${stateText(run)}: ${left}` : left
}
