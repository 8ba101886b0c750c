import type { ConversationId } from '../../core/ids.ts'
import type { StoredRun } from '../../core/run.ts'
import type { Store } from '../../store/port.ts'
import { statusLinesOf } from './status-lines.ts'

const OPEN = ['queued', 'running', 'waiting', 'paused'] as const

/**
 * What still works or is paused below a run that has completed: `1 subagent paused`; null: nothing. Most conversations
 * have nothing left: of those no more is read.
 */
export function leftBelow(
  store: Store,
  run: StoredRun | undefined,
  isDriven: (id: ConversationId) => boolean,
): string | null {
  if (run?.status !== 'completed') return null
  const { id, conversationId } = run
  if (OPEN.every((status) => store.count('runs', { conversationId, status }) === 0)) return null
  return statusLinesOf(store, conversationId, isDriven(conversationId)).get(id)?.detail ?? null
}
