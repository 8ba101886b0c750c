import type { Reader } from '../../store/port.ts'
import type { Budget } from '../budget/budget.ts'
import type { LiveRun } from './live-run.ts'
import type { Scheduler } from './scheduler.ts'

/** The conversation of these runs. */
export interface StartedIn {
  readonly budget: Pick<Budget, 'forget'>
  withdraw(run: LiveRun): void
}

/**
 * Undoes starts and resumes whose change was not stored: the runs return to their stored state, release their slot and
 * budget, and no caller waits for them.
 */
export function rollBackStarts(
  { store, scheduler }: { readonly store: Reader; readonly scheduler: Pick<Scheduler, 'release'> },
  tree: StartedIn | undefined,
  runs: readonly LiveRun[],
): void {
  for (const run of runs) {
    scheduler.release(run.row.id)
    const stored = store.get('runs', run.row.id)
    if (stored) run.held.reload(stored)
    else tree?.budget.forget(run.row.id)
    tree?.withdraw(run)
    run.markStopped()
  }
}
