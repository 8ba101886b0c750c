import type { Clock } from '../../core/clock.ts'
import { state } from '../../core/run-status.ts'
import { unlessAborted } from '../../loop/unless-aborted.ts'
import { changeRun, type LiveRun } from './live-run.ts'
import type { Change, Recorder } from '../log/recorder.ts'
import type { Scheduler } from './scheduler.ts'

export interface SlotDeps {
  readonly scheduler: Scheduler
  readonly recorder: Recorder
  readonly clock: Clock
}

/** Asks for a slot. Main runs need none; every other run holds one while it is running. */
export function requestSlot(
  { scheduler }: Pick<SlotDeps, 'scheduler'>,
  run: LiveRun,
  where: 'head' | 'end',
): 'granted' | 'queued' {
  if (run.row.depth === 0) return 'granted'
  const { id: runId, conversationId } = run.row
  const { promise, resolve } = Promise.withResolvers<void>()
  const answer = scheduler.request({ runId, conversationId, onGrant: resolve }, where)
  run.granted = answer === 'granted' ? Promise.resolve() : promise
  return answer
}

/** Ends the wait of a run: it runs, or goes to the head of the queue, in the change that ended the wait. */
export function endWait(change: Change, deps: Pick<SlotDeps, 'scheduler'>, run: LiveRun): void {
  if (requestSlot(deps, run, 'head') === 'granted') changeRun(change, run, state.running)
  else
    changeRun(change, run, state.queued, { lastText: { position: 1, ...deps.scheduler.queued(run.row.id) } })
}

/**
 * Resolves when the run is running: at once, or when its slot is free. Rejects with the reason of a stop. Several calls
 * of one turn may wait for the same slot.
 */
export async function untilRunning(deps: Pick<SlotDeps, 'recorder' | 'clock'>, run: LiveRun): Promise<void> {
  if (run.row.status !== 'queued') return
  await unlessAborted(run.granted, run.controller.signal, deps.clock, 0)
  await deps.recorder.record(run.row.conversationId, (change) => {
    if (run.row.status === 'queued') changeRun(change, run, state.running)
  })
}
