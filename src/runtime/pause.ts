import { isStopped } from '../core/run-status.ts'
import { stopRun, type LiveRun } from './live-run.ts'

/** Who it says paused it: the user, or what is above it. */
type Why = 'user' | 'parent'

/**
 * Has a run pause at its next boundary, and what it waits for in the foreground too: what they do now is done first
 * (runtime.md §4). One that is at a boundary by now stops at once.
 */
export function pauseSoon(run: LiveRun, why: Why): void {
  if (isStopped(run.row.status) || run.stop) return
  run.pausing ??= { verb: 'pause', why, keepsBackground: true }
  for (const child of run.children.values()) if (!child.row.background) pauseSoon(child, 'parent')
  pauseBetween(run)
}

/** Between two turns: a run that is to pause goes no further. @throws the reason of its stop. */
export function pauseHere(run: LiveRun): void {
  if (!run.pausing) return
  stopRun(run, run.pausing)
  run.controller.signal.throwIfAborted()
}

/** Stops a run that is to pause, if nothing of it is under way: asked whenever that may have changed. */
export function pauseBetween(run: LiveRun): void {
  if (run.pausing && isBetween(run)) stopRun(run, run.pausing)
}

function isBetween(run: LiveRun): boolean {
  const { status, reason } = run.row
  const isIdle = status === 'queued' || (status === 'waiting' && reason === 'retry')
  return isIdle ? ![...run.children.values()].some(works) : waitsForPaused(run)
}

/** All that it waits for has paused, or goes on without it; where all has ended, the run is about to go on itself. */
function waitsForPaused({ onlyWaits, awaits }: LiveRun): boolean {
  const all = [...awaits]
  return onlyWaits && !all.some(works) && all.some(({ row }) => row.background || row.status === 'paused')
}

function works({ row }: LiveRun): boolean {
  return !row.background && !isStopped(row.status)
}
