import type { ConversationId } from '../../core/ids.ts'
import { isFinal, isStopped } from '../../core/run-status.ts'
import { unlessAborted } from '../../loop/unless-aborted.ts'
import type { Deps } from '../context/deps.ts'
import { cancelLeft, type EndRunPorts } from './end-run.ts'
import { stopRun, type LiveRun, type StopReason } from '../run/live-run.ts'
import type { Change } from '../log/recorder.ts'
import type { ScopePart } from '../context/scope.ts'

type Cancel = Extract<StopReason, { readonly verb: 'cancel' }>

export interface CancelWork {
  readonly conversationId: ConversationId
  /** Runs to cancel, and why. Final ones stay as they are. */
  readonly tops: readonly LiveRun[]
  readonly reason: Cancel
  /** The runs below them, deepest first. */
  readonly below: readonly LiveRun[]
  /** Stops the waiting, not the cancel. */
  readonly signal?: AbortSignal
  /** Joins the change in which all of them have ended; `left`: processes that could not be stopped. */
  readonly write: (change: Change, ended: readonly LiveRun[], left: readonly number[]) => void
  /** Called first in that change; if it throws, nothing ends. */
  readonly check?: (change: Change) => void
}

export type CancelPorts = EndRunPorts & Pick<Deps, 'endProcesses'>

/** Cancels runs with their subtrees, driven or not, and settles when that is stored. */
export async function cancelRuns(scope: ScopePart<CancelPorts, 'drives'>, work: CancelWork): Promise<void> {
  const all = [...work.below.filter(isOpen), ...work.tops.filter(isOpen)]
  while (!(await cancelOnce(scope, work, all)));
}

const isOpen = ({ row }: LiveRun) => !isFinal(row.status)

/** False: another process has started to drive one of them and must stop first. */
async function cancelOnce(
  { deps, tree }: ScopePart<CancelPorts, 'drives'>,
  { conversationId, tops, reason, signal, write, check }: CancelWork,
  all: readonly LiveRun[],
): Promise<boolean> {
  // a run whose last change was not stored may look stopped
  const driven = all.filter((run) => run.isDriven || (tree.drives(run) && !isStopped(run.row.status)))
  for (const run of all.filter(isOpen))
    stopRun(run, tops.includes(run) ? reason : { verb: 'cancel', by: 'parent' })
  const stopped = Promise.all(driven.map((run) => run.stopped))
  await (signal ? unlessAborted(stopped, signal, deps.clock, 0) : stopped)
  const left = await deps.endProcesses(all.map((run) => run.row.id))
  const isOver = await deps.recorder.record(conversationId, (change) => {
    check?.(change)
    if (all.some((run) => run.isDriven && isOpen(run))) return false
    for (const run of all) cancelLeft(change, deps, run, tops.includes(run) ? reason.by : 'parent')
    const ended = all.filter(({ row }) => row.status === 'cancelled')
    write(change, ended, left)
    return true
  })
  if (!isOver) return false
  for (const run of all) {
    run.markAgain() // a parent that waits for a paused one to resume waits no longer
    if (run.isDriven) continue
    run.markStopped() // it was about to be driven: it had a slot or a place, and its parent waits for it
    deps.scheduler.release(run.row.id)
  }
  return true
}
