import { OffshootError } from './errors.ts'
import type { PausedRun, QueuedRun, Run, StoredRun, RunningRun, WaitingFor, WaitingRun } from './run.ts'
import type { CancelledRun, CompletedRun, FailedRun, RunError } from './run.ts'
import { runStatuses, stateOf, transition, type RunState } from './run-status.ts'

/** A state that a run is to enter, with what it has in that state alone. Its times come from the step. */
export type NextState =
  | Exclude<RunState, { readonly status: 'waiting' | 'failed' }>
  | (Extract<RunState, { readonly status: 'waiting' }> & Pick<WaitingRun, 'waitingFor'>)
  | (Extract<RunState, { readonly status: 'failed' }> & Pick<FailedRun, 'error'>)

/** Takes a run to its next state. @throws OffshootError `internal` for a step that the table of states lacks. */
export function enterState(run: Run, to: NextState, at: number): Run {
  transition(run.status, to)
  switch (to.status) {
    case 'queued':
      return { ...run, ...to, ...opened(run), waitingFor: null } satisfies QueuedRun
    case 'running':
      return { ...run, ...begun(run, at), ...to, waitingFor: null } satisfies RunningRun
    case 'waiting':
      return { ...run, ...begun(run, at), ...to } satisfies WaitingRun
    case 'paused':
      return { ...run, ...stopped(at), ...to } satisfies PausedRun
    case 'completed':
      return { ...run, ...stopped(at), ...to } satisfies CompletedRun
    case 'failed':
      return { ...run, ...stopped(at), ...to } satisfies FailedRun
    case 'cancelled':
      return { ...run, ...stopped(at), ...to } satisfies CancelledRun
  }
}

function opened({ pausing = null }: Pick<StoredRun, 'pausing'>) {
  return { error: null, pausing, endedAt: null }
}

function begun({ startedAt, pausing = null }: Pick<StoredRun, 'startedAt' | 'pausing'>, at: number) {
  return { ...opened({ pausing }), startedAt: startedAt ?? at }
}

/** What was to pause has stopped, or it is too late. */
function stopped(at: number) {
  return { error: null, waitingFor: null, pausing: null, endedAt: at }
}

/** A run that waits for something else. @throws OffshootError `internal` for one that does not wait. */
export function waitOn(run: Run, waitingFor: WaitingFor): WaitingRun {
  if (run.status === 'waiting') return { ...run, reason: waitingFor.what, waitingFor }
  throw new OffshootError('internal', `a run that is ${run.status} cannot wait on`)
}

/** A run in the queue that waits for budget, or does no longer. @throws OffshootError `internal` for one that is not there. */
export function waitInQueue(run: Run, waitingFor: WaitingFor | null): QueuedRun {
  if (run.status === 'queued') return { ...run, waitingFor }
  throw new OffshootError('internal', `a run that is ${run.status} is not in the queue`)
}

/** A run in the state of an earlier row of it, with everything else as it is now. */
export function backTo(earlier: Run, now: Run): Run {
  const {
    status: _1,
    reason: _2,
    waitingFor: _3,
    endReason: _4,
    error: _5,
    startedAt: _6,
    endedAt: _7,
    ...rest
  } = now
  const { pausing, ...facts } = rest
  return earlier.endedAt === null ? { ...earlier, ...facts, pausing } : { ...earlier, ...facts }
}

/**
 * A stored row as a run whose values fit its status. What decides what the run may do has to fit; what is only shown is
 * made to: a row that was imported or repaired may have kept it from an earlier status, or lack it.
 * @throws OffshootError `store_corrupt` for a status that is not known, and for one whose reason or end is of another.
 */
export function parseRun(row: StoredRun): Run {
  const found = stateOf(row)
  if (!found) throw damaged(row)
  const from = row.startedAt ?? row.queuedAt
  const ended = stopped(row.endedAt ?? from)
  switch (found.status) {
    case 'queued':
      return { ...row, ...opened(row), ...found, waitingFor: budgetOnly(row.waitingFor) }
    case 'running':
      return { ...row, ...begun(row, from), ...found, waitingFor: null }
    case 'waiting':
      return {
        ...row,
        ...begun(row, from),
        ...found,
        waitingFor: row.waitingFor ?? unsaid(found.reason, from),
      }
    case 'paused':
      return { ...row, ...ended, ...found }
    case 'completed':
      return { ...row, ...ended, ...found }
    case 'failed':
      return { ...row, ...ended, ...found, error: row.error ?? UNSAID }
    case 'cancelled':
      return { ...row, ...ended, ...found }
  }
}

function budgetOnly(waitingFor: WaitingFor | null): WaitingFor | null {
  return waitingFor?.code === 'budget' ? waitingFor : null
}

function unsaid(what: WaitingFor['what'], since: number): WaitingFor {
  return { what, detail: '', since }
}

const UNSAID: RunError = { code: 'internal', message: 'the database does not say why it failed' }

function damaged({ id, status, reason, endReason }: StoredRun): OffshootError {
  const said = (what: string, value: string | null) =>
    value === null ? `no ${what}` : `the ${what} "${value}"`
  const what = runStatuses.includes(status)
    ? `${id} is ${status} with ${said('reason', reason)} and ${said('end', endReason)}`
    : `${id} has the status "${status as string}"`
  return new OffshootError('store_corrupt', `the database is damaged: ${what}`, {
    hint: 'offshoot export keeps what can be read of the conversation',
  })
}
