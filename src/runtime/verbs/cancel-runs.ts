import type { ConversationId } from '../../core/ids.ts'
import { isFinal, isStopped } from '../../core/run-status.ts'
import { unlessAborted } from '../../loop/aborted.ts'
import { cancelLeft } from '../end-run.ts'
import { stopRun, type LiveRun, type StopReason } from '../live-run.ts'
import type { Change } from '../recorder.ts'
import type { Scope } from '../scope.ts'

type Cancel = Extract<StopReason, { readonly verb: 'cancel' }>

export interface CancelWork {
  readonly conversationId: ConversationId
  /** What was asked to end, and why. Final ones are left as they are. */
  readonly tops: readonly LiveRun[]
  readonly reason: Cancel
  /** What is below them, the deepest first. */
  readonly below: readonly LiveRun[]
  /** Stops the waiting, not the cancel. */
  readonly signal?: AbortSignal
  /** Goes into the change in which all of them have ended; `left`: processes that could not be ended. */
  readonly write: (change: Change, ended: readonly LiveRun[], left: readonly number[]) => void
}

/** Ends runs and all below them, driven or not, and settles when that is on disk (runtime.md §4). */
export async function cancelRuns(
  { deps, tree }: Pick<Scope, 'deps' | 'tree'>,
  { conversationId, tops, reason, below, signal, write }: CancelWork,
): Promise<void> {
  const open = ({ row }: LiveRun) => !isFinal(row.status)
  const all = [...below.filter(open), ...tops.filter(open)]
  const driven = all.filter((run) => tree.drives(run) && !isStopped(run.row.status))
  for (const run of all) stopRun(run, tops.includes(run) ? reason : { verb: 'cancel', by: 'parent' })
  const stopped = Promise.all(driven.map((run) => run.stopped))
  await (signal ? unlessAborted(stopped, signal, deps.clock, 0) : stopped)
  const left = await Promise.all(all.map((run) => deps.endProcesses(run.row.id)))
  await deps.recorder.record(conversationId, (change) => {
    for (const run of all) cancelLeft(change, deps, run, tops.includes(run) ? reason.by : 'parent')
    const ended = all.filter(({ row }) => row.status === 'cancelled')
    write(change, ended, left.flat())
  })
}
