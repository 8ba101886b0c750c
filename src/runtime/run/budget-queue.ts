import { state } from '../../core/run-status.ts'
import { unlessAborted } from '../../loop/unless-aborted.ts'
import type { Budget } from '../budget/budget.ts'
import type { Change } from '../log/recorder.ts'
import { changeRun, runEvent, type LiveRun } from './live-run.ts'
import { requestSlot, type SlotDeps } from './slots.ts'

/** Queues a new subagent for budget, or requests its slot. */
export function enterQueue(
  { at }: Change,
  deps: Pick<SlotDeps, 'scheduler'>,
  budget: Budget,
  run: LiveRun,
): 'granted' | 'queued' {
  const wait = budget.fund(run.row)
  if (!wait) return requestSlot(deps, run, 'end')
  run.held.waitInQueue({ what: 'retry', code: 'budget', detail: wait.held, since: at })
  return 'queued'
}

/** Settles when a subagent no longer waits for budget: it has a slot, or a place in the queue for one. */
export async function untilFunded(deps: SlotDeps, budget: Budget, run: LiveRun): Promise<void> {
  const { signal } = run.controller
  const { conversationId } = run.row
  while (waits(run)) {
    const wait = budget.fund(run.row)
    if (!wait) return await deps.recorder.record(conversationId, (change) => askForSlot(change, deps, run))
    const { held } = wait
    if (held !== run.row.waitingFor?.detail)
      await deps.recorder.record(conversationId, (change) => tellHeld(change, run, held))
    await unlessAborted(wait.until, signal, deps.clock, 0)
  }
}

function waits({ row }: LiveRun): boolean {
  return row.status === 'queued' && row.waitingFor !== null
}

function tellHeld(change: Change, run: LiveRun, detail: string): void {
  const { row } = run
  if (row.status !== 'queued' || row.waitingFor === null) return
  const waitingFor = { ...row.waitingFor, detail }
  run.held.waitInQueue(waitingFor)
  change.tx.update('runs', row.id, { waitingFor })
  change.event(runEvent(run, 'run.queued', change.at, { from: 'queued' }))
}

function askForSlot(change: Change, deps: Pick<SlotDeps, 'scheduler'>, run: LiveRun): void {
  if (!waits(run)) return
  const { id, limits } = run.row
  if (requestSlot(deps, run, 'end') === 'granted')
    return changeRun(change, run, state.running, { row: { limits } })
  run.held.waitInQueue(null)
  change.tx.update('runs', id, { waitingFor: null, limits })
  const about = { from: 'queued', waitingFor: null, ...deps.scheduler.queued(id) } as const
  change.event(runEvent(run, 'run.queued', change.at, about))
}
