import { OffshootError } from '../../core/errors.ts'
import type { BranchId, RunId } from '../../core/ids.ts'
import { isFinal, isStopped, type RunReason, type RunStatus } from '../../core/run-status.ts'
import { stopRun, stopsBelow, type LiveRun, type StopReason } from '../run/live-run.ts'
import { markLeft, pauseLeft } from '../run/pause-run.ts'
import type { Deps } from '../context/deps.ts'
import { cleanUpCalls } from '../recovery/clean-up-calls.ts'
import { requireTarget, type VerbScope } from './verb-scope.ts'

export interface InterruptAnswer {
  readonly branchId: BranchId
  readonly runId: RunId
  readonly status: RunStatus
  readonly reason: RunReason | null
  /** When it stopped; null: it has been continued since. */
  readonly endedAt: number | null
}

const REASON: StopReason = { verb: 'pause', why: 'user', keepsBackground: true }

/**
 * Stops the current request or call of a run. The run becomes paused(user), its foreground children become
 * paused(parent), and its background children continue. @throws OffshootError `conflict` if it has stopped.
 */
export async function interrupt(
  scope: VerbScope<Pick<Deps, 'recorder' | 'store'>>,
  id: string,
): Promise<InterruptAnswer> {
  const { row, live } = requireTarget(scope, id)
  if (!live || isStopped(row.status)) throw hasStopped(row.branchId, row.status)
  let answer: InterruptAnswer | undefined
  while (!answer) answer = await interruptOnce(scope, live)
  markLeft([...foreground(live), live])
  return answer
}

/** undefined: another process has started to drive it and must stop first. */
async function interruptOnce(
  { deps, live: conversation, requireOpen, settle }: VerbScope<Pick<Deps, 'recorder' | 'store'>>,
  run: LiveRun,
): Promise<InterruptAnswer | undefined> {
  const isDriven = conversation.drives(run)
  if (isDriven) {
    stopRun(run, REASON)
    await run.stopped
  } else await cleanUpCalls(deps, conversation.setting.workspace, [...foreground(run), run])
  return await deps.recorder.record(conversation.id, (change) => {
    requireOpen(change.tx)
    if (!isDriven && conversation.drives(run)) return undefined
    // a driven one has paused, and may have resumed by now
    if (!isDriven) {
      for (const below of foreground(run)) pauseLeft(change, below, 'parent')
      pauseLeft(change, run, 'user')
    }
    const { branchId, id: runId, status, reason, endedAt } = run.row
    const answer = { branchId, runId, status, reason, endedAt }
    settle(change.tx, answer)
    return answer
  })
}

function foreground(run: LiveRun): LiveRun[] {
  const children = [...run.children.values()].filter((child) => stopsBelow(REASON, child))
  return children.flatMap((child) => [...foreground(child), child])
}

function hasStopped(branchId: BranchId, status: RunStatus): OffshootError {
  const hint = isFinal(status)
    ? 'offshoot ps shows what still runs'
    : `offshoot continue ${branchId} resumes it`
  return new OffshootError('conflict', `${branchId} is ${status}: there is nothing to interrupt`, { hint })
}
