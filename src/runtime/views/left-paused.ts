import type { Branch } from '../../core/conversation.ts'
import type { StoredRun } from '../../core/run.ts'
import { isStopped } from '../../core/run-status.ts'
import { leftPausedBelow } from '../../core/status-line/paused-below.ts'
import type { Reader } from '../../store/port.ts'

/** The paused subagents below a stopped branch, or below one run of it. */
export function leftPausedIn(
  reader: Reader,
  { id: branchId, conversationId }: Pick<Branch, 'id' | 'conversationId'>,
  runId?: StoredRun['id'],
): StoredRun[] {
  const runs = reader.find('runs', { where: { conversationId }, orderBy: 'id' })
  const isRoot = (run: StoredRun) => (runId ? run.id === runId : run.branchId === branchId)
  return leftPausedBelow(runs, isRoot)
}

/** The active subagents below a branch, or below one run of it. */
export function openBelow(
  reader: Reader,
  { id: branchId, conversationId }: Pick<Branch, 'id' | 'conversationId'>,
  runId?: StoredRun['id'],
): StoredRun[] {
  const runs = reader.find('runs', { where: { conversationId }, orderBy: 'id' })
  const below = new Set(
    runs.filter((run) => (runId ? run.id === runId : run.branchId === branchId)).map(({ id }) => id),
  )
  // a parent is older than its children
  const found = runs.filter((run) => {
    const isBelow = run.parentRunId !== null && below.has(run.parentRunId)
    if (isBelow) below.add(run.id)
    return isBelow && run.branchId !== branchId
  })
  return found.filter(({ status }) => !isStopped(status))
}
