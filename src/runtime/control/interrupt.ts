import { OffshootError } from '../../core/errors.ts'
import type { BranchId, RunId } from '../../core/ids.ts'
import { isFinal, isStopped, state, type RunReason, type RunStatus } from '../../core/run-status.ts'
import { changeRun, stopRun, stopsBelow, type LiveRun, type StopReason } from '../run/live-run.ts'
import type { Change } from '../log/recorder.ts'
import type { Deps } from '../context/deps.ts'
import { cleanUpCalls } from '../recovery/clean-up-calls.ts'
import { requireTarget, type VerbScope } from './verb-scope.ts'

export interface InterruptAnswer {
  readonly branchId: BranchId
  readonly runId: RunId
  readonly status: RunStatus
  readonly reason: RunReason | null
}

const REASON: StopReason = { verb: 'pause', why: 'user', keepsBackground: true }

/**
 * Stops the current request or call of a run. The run becomes paused(user), its foreground children become
 * paused(parent), and its background children continue. @throws OffshootError `conflict` when it has stopped.
 */
export async function interrupt(
  scope: VerbScope<Pick<Deps, 'recorder' | 'store'>>,
  id: string,
): Promise<InterruptAnswer> {
  const { deps, live: conversation, settle } = scope
  const { row, live } = requireTarget(scope, id)
  if (!live || isStopped(row.status)) throw hasStopped(row.branchId, row.status)
  const isDriven = conversation.drives(live)
  const below = isDriven ? [] : foreground(live)
  if (!isDriven) await cleanUpCalls(deps, conversation.setting.workspace, [...below, live])
  if (isDriven) {
    stopRun(live, REASON)
    await live.stopped
  }
  return await deps.recorder.record(conversation.id, (change) => {
    for (const run of below) pauseLeft(change, run, 'parent')
    if (!isDriven) pauseLeft(change, live, 'user') // one that was driven has paused, and may go on again by now
    const { branchId, id: runId, status, reason } = live.row
    const answer = { branchId, runId, status, reason }
    settle(change.tx, answer)
    return answer
  })
}

function foreground(run: LiveRun): LiveRun[] {
  const children = [...run.children.values()].filter((child) => stopsBelow(REASON, child))
  return children.flatMap((child) => [...foreground(child), child])
}

/** What a process left that is gone stops where it is: nothing is owed to anybody at such a pause. */
function pauseLeft(change: Change, run: LiveRun, why: 'user' | 'parent'): void {
  if (!isStopped(run.row.status))
    changeRun(change, run, state.paused(why), { row: { stopNo: run.row.stopNo + 1 } })
}

function hasStopped(branchId: BranchId, status: RunStatus): OffshootError {
  const hint = isFinal(status)
    ? 'offshoot ps shows what still runs'
    : `offshoot continue ${branchId} goes on with it`
  return new OffshootError('conflict', `${branchId} is ${status}: there is nothing to interrupt`, { hint })
}
