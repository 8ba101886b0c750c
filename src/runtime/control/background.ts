import { OffshootError } from '../../core/errors.ts'
import type { BranchId, RunId } from '../../core/ids.ts'
import { isStopped, type RunStatus } from '../../core/run-status.ts'
import { startedAnswer } from '../delegation/background-spawn.ts'
import { childEnded } from '../run/child-waits.ts'
import { runEvent, type LiveRun } from '../run/live-run.ts'
import type { Deps } from '../context/deps.ts'
import { requireTarget, type VerbScope } from './verb-scope.ts'

export interface BackgroundAnswer {
  readonly branchId: BranchId
  readonly runId: RunId
  readonly status: RunStatus
}

/**
 * Moves a subagent to the background while its parent waits for it: the parent's call is answered like a background
 * spawn, and the report comes later. @throws OffshootError `conflict` if no agent waits.
 */
export async function background(
  scope: VerbScope<Pick<Deps, 'recorder' | 'scheduler' | 'store'>>,
  id: string,
): Promise<BackgroundAnswer> {
  const { deps, live: conversation, requireOpen, settle } = scope
  const { row, live: run } = requireTarget(scope, id)
  if (!run || !conversation.drives(run))
    throw refusal(row.branchId, `is ${row.status}, and no process drives it`)
  const answer = await deps.recorder.record(conversation.id, (change) => {
    requireOpen(change.tx)
    const { parent, call, journal } = waiting(run)
    const { branchId, id: runId, status } = run.row
    const output = startedAnswer(deps, run, 'The user has moved it to the background')
    const ended = { ...call, status: 'completed', output, exitCode: null, error: null } as const
    journal.writeResult(change, ended)
    change.tx.update('runs', runId, { background: true })
    run.held.setAsker({ background: true })
    change.ifRefused(() => run.held.setAsker({ background: false }))
    change.event(runEvent(run, 'run.backgrounded', change.at, { from: status }))
    childEnded(change, deps, parent, run)
    const answer = { branchId, runId, status }
    settle(change.tx, answer)
    return answer
  })
  run.call = undefined
  run.markDetached()
  return answer
}

/** The run that waits for this one, and its call. */
function waiting({ row, parent, call }: LiveRun) {
  if (isStopped(row.status)) throw refusal(row.branchId, `is ${row.status}`)
  const journal = parent?.journal
  if (row.background || !parent || !call || !journal?.isOpen(call.part.callId))
    throw refusal(row.branchId, row.depth > 0 ? 'is already in the background' : 'is not a subagent')
  return { parent, call: { part: call.part, title: call.title }, journal }
}

function refusal(branchId: BranchId, why: string): OffshootError {
  return new OffshootError('conflict', `${branchId} ${why}, so moving it to the background frees no agent`, {
    hint: 'offshoot ps shows the runs and what they wait for',
  })
}
