import type { StoredRun } from '../../core/run.ts'
import { isStopped, wakesParent } from '../../core/run-status.ts'
import type { BranchId } from '../../core/ids.ts'
import type { Reader } from '../../store/port.ts'
import { deliverOf } from '../journal/person-spawn-report.ts'

/** The agent that the report of this branch's active work will wake; undefined: none. */
export function wokenAgent(reader: Reader, branchId: BranchId): string | undefined {
  const run = latestRun(reader, branchId)
  if (!run || !isStopped(run.status)) return undefined
  const above = reader.get('branches', branchId)?.parentBranchId
  // a paused branch reads nothing until somebody continues it
  if (above && latestRun(reader, above)?.status === 'paused') return undefined
  if (run.parentRunId === null) return wokenAbove(reader, run)
  const parent = reader.get('runs', run.parentRunId)
  return wakesParent(run, parent) ? parent?.agent : undefined
}

function latestRun(reader: Reader, branchId: BranchId): StoredRun | undefined {
  return reader.find('runs', { where: { branchId }, orderBy: 'id', descending: true, limit: 1 })[0]
}

/** For a run started by a person: whether its report wakes the branch above. */
function wokenAbove(reader: Reader, { branchId }: StoredRun): string | undefined {
  const branch = reader.get('branches', branchId)
  if (branch?.kind !== 'subagent' || branch.originToolCallId || !branch.parentBranchId) return undefined
  return deliverOf(reader, branch) === 'announce'
    ? undefined
    : reader.get('branches', branch.parentBranchId)?.agent
}
