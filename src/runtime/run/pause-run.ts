import type { Clock } from '../../core/clock.ts'
import { isStopped, state } from '../../core/run-status.ts'
import { changeRun, checkUnchanged, runEvent, stopRun, type LiveRun } from './live-run.ts'
import type { Bus } from '../log/bus.ts'
import type { Change } from '../log/recorder.ts'

/** Recorded origin of the pause: the user, or the run above. */
type Why = 'user' | 'parent'

/**
 * Pauses a run and its foreground children, each at its next boundary: the current request or call ends first. A run
 * that is at a boundary stops at once.
 */
export function pauseSoon(run: LiveRun, why: Why): void {
  if (isStopped(run.row.status) || run.stop) return
  run.held.setPausing(run.row.pausing ?? why)
  for (const child of run.children.values()) if (!child.row.background) pauseSoon(child, 'parent')
  pauseBetween(run)
}

/** Emits whether live runs will pause. Live only: `storePausing` and `unpause` persist it. */
export function emitPausing(
  { bus, clock }: { readonly bus: Pick<Bus, 'live'>; readonly clock: Pick<Clock, 'now'> },
  runs: readonly LiveRun[],
): void {
  for (const run of runs)
    if (!isStopped(run.row.status) && !run.stop)
      bus.live(runEvent(run, 'run.progress', clock.now(), { from: run.row.status }))
}

/** Stores pause requests for the process that resumes the runs if this one exits first. */
export function storePausing({ tx }: Change, runs: readonly LiveRun[]): void {
  for (const { row } of runs.filter(isAsked)) tx.update('runs', row.id, { pausing: row.pausing ?? null })
}

/** Ends all waits for runs that `pauseLeft` has paused, once that is stored. */
export function markLeft(runs: readonly LiveRun[]): void {
  for (const run of runs) if (isStopped(run.row.status) && !run.isDriven) run.markStopped()
}

/** Current pause requests. Returns a function that restores them for runs that have not paused by then. */
export function pausingIn(runs: readonly LiveRun[]): () => void {
  const before = runs.map((run) => [run, run.row.pausing ?? null] as const)
  return () => {
    for (const [run, pausing] of before) if (!run.stop) run.held.setPausing(pausing)
  }
}

/** Revokes the pause of runs that have not paused yet. */
export function unpause({ tx, ifRefused }: Change, runs: readonly LiveRun[]): void {
  for (const run of runs.filter(isAsked)) {
    const pausing = run.row.pausing ?? null
    tx.update('runs', run.row.id, { pausing: null })
    ifRefused(() => run.held.setPausing(pausing))
    run.held.setPausing(null)
  }
}

/**
 * Pauses an undriven run in its current state; its parent gets no report. @throws OffshootError `conflict` if another
 * process changed it in the meantime.
 */
export function pauseLeft(change: Change, run: LiveRun, why: Why): void {
  if (isStopped(run.row.status)) return
  checkUnchanged(change, run)
  const { row } = run
  change.ifRefused(() => run.held.enter(row))
  changeRun(change, run, state.paused(why), { row: { stopNo: row.stopNo + 1 } })
}

function isAsked({ row, stop }: LiveRun): boolean {
  return Boolean(row.pausing) && !isStopped(row.status) && !stop
}

/** Between two turns: stops the run here if a pause was requested. @throws its stop reason. */
export function pauseHere(run: LiveRun): void {
  if (!run.row.pausing) return
  stopForPause(run, run.row.pausing)
  run.controller.signal.throwIfAborted()
}

/** Stops a run with a pause request if none of its work is in progress; called whenever that may have changed. */
export function pauseBetween(run: LiveRun): void {
  if (run.row.pausing && isBetween(run)) stopForPause(run, run.row.pausing)
}

function stopForPause(run: LiveRun, why: Why): void {
  stopRun(run, { verb: 'pause', why, keepsBackground: true })
}

function isBetween(run: LiveRun): boolean {
  const { status, reason } = run.row
  const isIdle = status === 'queued' || (status === 'waiting' && reason === 'retry')
  return isIdle ? ![...run.children.values()].some(works) : waitsForPaused(run)
}

/**
 * Whether every child that the run waits for has paused or no longer holds it up. If all have ended, the run is about
 * to continue on its own.
 */
function waitsForPaused({ onlyWaits, awaits }: LiveRun): boolean {
  const all = [...awaits]
  return onlyWaits && !all.some(works) && all.some(({ row }) => row.background || row.status === 'paused')
}

function works({ row }: LiveRun): boolean {
  return !row.background && !isStopped(row.status)
}
