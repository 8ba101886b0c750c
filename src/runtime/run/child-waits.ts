import { isStopped, state } from '../../core/run-status.ts'
import { bestEffort, ignoreLateRejection } from '../../core/rejections.ts'
import { unlessAborted } from '../../loop/unless-aborted.ts'
import { changeRun, type LiveRun } from './live-run.ts'
import { pauseBetween } from './pause-run.ts'
import type { Change } from '../log/recorder.ts'
import { endWait, type SlotDeps } from './slots.ts'

/** A run releases its slot while it waits. */
type WaitPorts = Pick<SlotDeps, 'scheduler' | 'recorder'>

/** A call of the run waits for its child; `ended` is the outcome. */
async function waitForChild<T>(deps: WaitPorts, run: LiveRun, child: LiveRun, ended: Promise<T>): Promise<T> {
  ignoreLateRejection(ended) // awaited below, unless the wait itself cannot be written
  run.awaits.add(child)
  try {
    await enterWait(deps, run)
    return await ended
  } finally {
    run.awaits.delete(child)
  }
}

/**
 * Waits until a child stops in a way that answers the call. While a person, its parent or a restart has paused the
 * child, the call stays open and a later attempt ends it. Also returns when the run itself is stopped.
 */
export async function untilAnswered(
  deps: SlotDeps,
  run: LiveRun,
  child: LiveRun,
  { stops, isAnswered }: { readonly stops: () => Promise<void>; readonly isAnswered: () => boolean },
): Promise<void> {
  const attempts = async () => {
    for (;;) {
      await Promise.race([stops(), child.detached])
      if (isAnswered() || run.stop || child.row.status !== 'paused') return
      await bestEffort(unlessAborted(child.again, run.controller.signal, deps.clock, 0))
    }
  }
  await waitForChild(deps, run, child, attempts())
}

/**
 * The turn consists only of such calls: the run is `waiting(children)` and its slot is free for others. When this
 * settles, it is running or queued for a slot.
 */
export async function whileChildrenRun<T>(deps: WaitPorts, run: LiveRun, calls: Promise<T>): Promise<T> {
  ignoreLateRejection(calls) // awaited below, unless the wait itself cannot be written
  run.onlyWaits = true
  try {
    await enterWait(deps, run)
    return await calls
  } finally {
    run.onlyWaits = false
    await leaveWait(deps, run)
  }
}

/**
 * Settles when these children have stopped; the run waits only for them and lends them its slot. With the run's signal,
 * also settles when the run must stop.
 */
export async function untilStopped(
  deps: SlotDeps,
  run: LiveRun,
  children: readonly LiveRun[],
  signal?: AbortSignal,
): Promise<void> {
  const open = children.filter(({ row }) => !isStopped(row.status))
  const end = ({ stopped }: LiveRun) =>
    signal ? bestEffort(unlessAborted(stopped, signal, deps.clock, 0)) : stopped
  if (open.length > 0) {
    const ends = open.map((child) => waitForChild(deps, run, child, end(child)))
    await whileChildrenRun(deps, run, Promise.all(ends))
  }
}

/** Marks a run as waiting if it only waits for its children; otherwise it stays as it is. */
export async function enterWait(deps: WaitPorts, run: LiveRun): Promise<void> {
  pauseBetween(run)
  if (!mayWait(run)) return
  await deps.recorder.record(run.row.conversationId, (change) => {
    if (!mayWait(run)) return
    const waitingFor = waitingForChildren(change, run.awaits.size)
    changeRun(change, run, { ...state.waiting('children'), waitingFor })
  })
  if (isWaiting(run)) deps.scheduler.release(run.row.id)
}

export function waitingForChildren({ at: since }: Change, count: number) {
  return { what: 'children', detail: `${count} ${count === 1 ? 'subagent' : 'subagents'}`, since } as const
}

/** A child has ended. If its parent waited for nothing else, the parent's wait ends in the same change. */
export function childEnded(
  change: Change,
  deps: Pick<SlotDeps, 'scheduler'>,
  parent: LiveRun,
  child: LiveRun,
): void {
  const last = parent.awaits.size === 1 && parent.awaits.has(child)
  if (last && isWaiting(parent) && !parent.stop) endWait(change, deps, parent)
}

/** Needed if several children ended in one commit: none of them counted as the last. */
async function leaveWait(deps: WaitPorts, run: LiveRun): Promise<void> {
  if (!isWaiting(run) || run.stop) return
  await deps.recorder.record(run.row.conversationId, (change) => {
    if (isWaiting(run) && !run.stop) endWait(change, deps, run)
  })
}

function mayWait(run: LiveRun): boolean {
  return run.onlyWaits && run.awaits.size > 0 && run.row.status === 'running' && !run.stop
}

function isWaiting({ row }: LiveRun): boolean {
  return row.status === 'waiting' && row.reason === 'children'
}
