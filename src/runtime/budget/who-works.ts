import type { RunId } from '../../core/ids.ts'
import { isReported, isStopped } from '../../core/run-status.ts'
import type { AccountRow } from './budget-account.ts'

/** The runs of a conversation at one moment, from the view of a run that waits for budget. */
export interface RunsNow {
  /** Active runs that this process drives. */
  readonly open: readonly AccountRow[]
  /** Runs paused by a person, their parent or a restart: their parent's call still waits. */
  readonly heldBack: readonly AccountRow[]
  /** Runs that wait for budget and have seen the latest change. */
  readonly waiting: Pick<ReadonlySet<RunId>, 'has'>
}

/**
 * Whether another run continues by itself, so that something will change. `keepsSlot`: the asking run keeps its slot,
 * so queued runs may depend on it.
 */
export function anyWorks(now: RunsNow, id: RunId, keepsSlot: boolean): boolean {
  return now.open.some((run) => run.id !== id && works(run, now) && !(keepsSlot && run.status === 'queued'))
}

function works(run: AccountRow, now: RunsNow): boolean {
  if (now.waiting.has(run.id)) return false
  if (run.status !== 'waiting') return true
  // a run with nothing left to wait for is about to continue
  if (run.reason === 'children') return awaitedBy(run, now).length === 0
  return run.reason === 'retry'
}

/**
 * Runs that end without a person and without this run, so that their unspent budget returns. Includes runs that wait
 * for budget, because they pause when nothing works.
 */
export function comesBack(now: RunsNow, id: RunId | null): ReadonlySet<RunId> {
  const above = ancestors(now, id)
  const ending = now.open.filter((run) => run.id !== id && !above.has(run.id) && !needsPerson(run, now))
  return new Set(ending.map((run) => run.id))
}

/** A person must answer it, or continue what it waits for. */
function needsPerson(run: AccountRow, now: RunsNow): boolean {
  if (isStopped(run.status)) return true
  if (run.status !== 'waiting') return false
  if (run.reason === 'approval' || run.reason === 'question') return true
  return run.reason === 'children' && awaitedBy(run, now).some((child) => needsPerson(child, now))
}

/** A run waits for its foreground subagents; at its end, for those in the background. */
function awaitedBy({ id }: AccountRow, { open, heldBack }: RunsNow): readonly AccountRow[] {
  const children = [...open, ...heldBack].filter((run) => run.parentRunId === id)
  const foreground = children.filter(({ background }) => !background)
  return foreground.length > 0 ? foreground : children.filter(({ status }) => !isStopped(status))
}

function ancestors({ open }: RunsNow, id: RunId | null): ReadonlySet<RunId> {
  const parents = new Map(open.map((run) => [run.id, run.parentRunId]))
  const found = new Set<RunId>()
  for (let at = id && parents.get(id); at && !found.has(at); at = parents.get(at)) found.add(at)
  return found
}

/** Paused and due to resume: its parent gets no report. */
export function isHeldBack({ status, reason }: AccountRow): boolean {
  return status === 'paused' && !isReported({ status, reason })
}
