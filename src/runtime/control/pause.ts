import { OffshootError } from '../../core/errors.ts'
import { idPrefix } from '../../core/ids.ts'
import { isFinal, isStopped, type RunStatus } from '../../core/run-status.ts'
import type { LiveRun } from '../run/live-run.ts'
import { emitPausing, markLeft, pauseLeft, pauseSoon, pausingIn, storePausing } from '../run/pause-run.ts'
import type { LiveConversation } from '../conversation/live-conversation.ts'
import type { Deps } from '../context/deps.ts'
import { cleanUpCalls } from '../recovery/clean-up-calls.ts'
import { requireTarget, type VerbScope } from './verb-scope.ts'

export interface PauseAnswer {
  /** Number of affected runs. */
  readonly runs: number
  /** How many of them have paused by now; the others finish their current step first. */
  readonly paused: number
}

/**
 * Pauses a run with what it waits for, or everything in a conversation, each at its next boundary. @throws
 * OffshootError `conflict` if there is nothing to pause.
 */
export async function pause(
  scope: VerbScope<Pick<Deps, 'bus' | 'clock' | 'recorder' | 'store'>>,
  id: string,
): Promise<PauseAnswer> {
  const { deps, live: conversation, requireOpen, settle } = scope
  const isAll = idPrefix(id) === 'cnv'
  const tops = isAll ? openRuns(scope, id) : [openRun(scope, id)]
  const all = [...new Set(tops.flatMap((run) => [...foreground(run), run]))]
  // runs that stop with a run above them resume with it
  const whyOf = (run: LiveRun) => ((isAll ? !run.parent : run === tops[0]) ? 'user' : 'parent')
  const isDriven = (run: LiveRun) => conversation.drives(run)
  const takeBack = [pausingIn(all), pausedByUser(conversation)]
  if (isAll) conversation.isPausedByUser = true
  const driven = all.filter(isDriven)
  for (const run of driven) pauseSoon(run, whyOf(run))
  emitPausing(deps, driven)
  await cleanUpCalls(
    deps,
    conversation.setting.workspace,
    all.filter((run) => !isDriven(run)),
  )
  await Promise.all(all.filter(({ stop }) => stop).map(({ stopped }) => stopped))
  const answer = await deps.recorder.record(conversation.id, (change) => {
    for (const each of takeBack) change.ifRefused(each)
    requireOpen(change.tx)
    for (const run of all)
      if (isDriven(run)) pauseSoon(run, whyOf(run)) // resumed in the meantime: it pauses like every driven run
      else pauseLeft(change, run, whyOf(run))
    storePausing(change, all)
    const paused = all.filter(({ row }) => row.status === 'paused').length
    const answer = { runs: all.length, paused }
    settle(change.tx, answer)
    return answer
  })
  markLeft(all)
  return answer
}

/** Returns a function that restores the current state. */
function pausedByUser(conversation: LiveConversation): () => void {
  const { isPausedByUser } = conversation
  return () => void (conversation.isPausedByUser = isPausedByUser)
}

function openRun(scope: VerbScope<Pick<Deps, 'store'>>, id: string): LiveRun {
  const { row, live } = requireTarget(scope, id)
  if (live && !isStopped(row.status)) return live
  throw nothing(row.branchId, row.status)
}

function openRuns({ deps, live }: VerbScope<Pick<Deps, 'store'>>, id: string): LiveRun[] {
  if (id !== live.id) throw new OffshootError('not_found', `there is no ${id.slice(0, 100)} here`)
  const branches = deps.store.find('branches', { where: { conversationId: live.id } })
  const open = branches
    .flatMap((branch) => live.latest(branch.id) ?? [])
    .filter(({ row }) => !isStopped(row.status))
  if (open.length > 0) return open
  throw new OffshootError('conflict', `nothing is running in ${id}, so there is nothing to pause`, {
    hint: 'offshoot ps --all shows its runs',
  })
}

function foreground(run: LiveRun): LiveRun[] {
  const children = [...run.children.values()].filter(({ row }) => !row.background && !isStopped(row.status))
  return children.flatMap((child) => [...foreground(child), child])
}

function nothing(branchId: string, status: RunStatus): OffshootError {
  const hint = isFinal(status)
    ? 'offshoot ps shows what still runs'
    : `offshoot continue ${branchId} resumes it`
  return new OffshootError('conflict', `${branchId} is ${status}: there is nothing to pause`, { hint })
}
