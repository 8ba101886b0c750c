import { OffshootError } from './errors.ts'
import type { PausedRun, QueuedRun, Run, StoredRun, RunningRun, WaitingFor, WaitingRun } from './run.ts'
import type { CancelledRun, CompletedRun, FailedRun, RunError } from './run.ts'
import { runStatuses, stateOf, transition, type RunState } from './run-status.ts'

/** A target state with its own fields. The transition sets its times. */
export type NextState =
  | Exclude<RunState, { readonly status: 'waiting' | 'failed' }>
  | (Extract<RunState, { readonly status: 'waiting' }> & Pick<WaitingRun, 'waitingFor'>)
  | (Extract<RunState, { readonly status: 'failed' }> & Pick<FailedRun, 'error'>)

/** Moves a run to its next state. @throws OffshootError `internal` for a transition missing from the table. */
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

/** A pending pause ends: the run stopped, or it is too late. */
function stopped(at: number) {
  return { error: null, waitingFor: null, pausing: null, endedAt: at }
}

/** Changes what a waiting run waits for. @throws OffshootError `internal` if it does not wait. */
export function waitOn(run: Run, waitingFor: WaitingFor): WaitingRun {
  if (run.status === 'waiting') return { ...run, reason: waitingFor.what, waitingFor }
  throw new OffshootError('internal', `a run that is ${run.status} cannot change what it waits for`)
}

/** Sets or clears the budget that a queued run waits for. @throws OffshootError `internal` if it is not queued. */
export function waitInQueue(run: Run, waitingFor: WaitingFor | null): QueuedRun {
  if (run.status === 'queued') return { ...run, waitingFor }
  throw new OffshootError('internal', `a run that is ${run.status} is not in the queue`)
}

/** Restores the state of an earlier row and keeps everything else. */
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
 * Parses a stored row into a run whose fields fit its status. Fields that decide what the run may do must fit; display
 * fields are adjusted, because an imported or repaired row may have stale or missing ones. @throws OffshootError
 * `store_corrupt` for an unknown status, or one with the reason or end of another.
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
    hint: 'offshoot export saves what can be read of the conversation',
  })
}
