import type { Branch } from '../../core/conversation.ts'
import type { StoredRun } from '../../core/run.ts'
import { leftPausedBelow } from '../../core/status-line/paused-below.ts'
import type { Reader } from '../../store/port.ts'

/** The subagents that are paused below a branch that has stopped, or below one run of it. */
export function leftPausedIn(
  reader: Reader,
  { id: branchId, conversationId }: Pick<Branch, 'id' | 'conversationId'>,
  runId?: StoredRun['id'],
): StoredRun[] {
  const runs = reader.find('runs', { where: { conversationId }, orderBy: 'id' })
  const isRoot = (run: StoredRun) => (runId ? run.id === runId : run.branchId === branchId)
  return leftPausedBelow(runs, isRoot)
}
