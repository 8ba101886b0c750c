import type { StoredRun } from '../../core/run.ts'
import { isStopped, wakesParent } from '../../core/run-status.ts'
import type { BranchId } from '../../core/ids.ts'
import type { Reader } from '../../store/port.ts'
import { deliverOf } from '../journal/person-spawn-report.ts'

/** The agent that the report wakes of what goes on now on this branch; undefined: nobody. */
export function wokenAgent(reader: Reader, branchId: BranchId): string | undefined {
  const last = { orderBy: 'id', descending: true, limit: 1 } as const
  const run = reader.find('runs', { where: { branchId }, ...last })[0]
  if (!run || !isStopped(run.status)) return undefined
  if (run.parentRunId === null) return wokenAbove(reader, run)
  const parent = reader.get('runs', run.parentRunId)
  return wakesParent(run, parent) ? parent?.agent : undefined
}

/** Of what a person started: where its report was to wake the branch above. */
function wokenAbove(reader: Reader, { branchId }: StoredRun): string | undefined {
  const branch = reader.get('branches', branchId)
  if (branch?.kind !== 'subagent' || branch.originToolCallId || !branch.parentBranchId) return undefined
  return deliverOf(reader, branch) === 'announce'
    ? undefined
    : reader.get('branches', branch.parentBranchId)?.agent
}
