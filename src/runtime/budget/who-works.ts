import type { RunId } from '../../core/ids.ts'
import { isReported, isStopped } from '../../core/run-status.ts'
import type { AccountRow } from './budget-account.ts'

/** The runs of a conversation at one moment, as a run that waits for budget sees the others. */
export interface RunsNow {
  /** Those that this process drives and that have not stopped. */
  readonly open: readonly AccountRow[]
  /** Those that a person, their parent or a restart has paused: the call of their parent still waits. */
  readonly heldBack: readonly AccountRow[]
  /** Those that wait for budget, and have seen the latest change. */
  readonly waiting: Pick<ReadonlySet<RunId>, 'has'>
}

/**
 * Whether a run besides this one goes on by itself, so that something will change. `keepsSlot`: the one that asks keeps
 * its slot while it waits, so that a run in the queue may wait for it.
 */
export function anyWorks(now: RunsNow, id: RunId, keepsSlot: boolean): boolean {
  return now.open.some((run) => run.id !== id && works(run, now) && !(keepsSlot && run.status === 'queued'))
}

function works(run: AccountRow, now: RunsNow): boolean {
  if (now.waiting.has(run.id)) return false
  if (run.status !== 'waiting') return true
  // a run that has nothing left to wait for is about to go on
  if (run.reason === 'children') return awaitedBy(run, now).length === 0
  return run.reason === 'retry'
}

/**
 * The runs that end without a person's doing and without this one, so that what they have not spent comes back: those that
 * wait for budget too, as they pause when nothing works any more.
 */
export function comesBack(now: RunsNow, id: RunId | null): ReadonlySet<RunId> {
  const above = ancestors(now, id)
  const ending = now.open.filter((run) => run.id !== id && !above.has(run.id) && !needsPerson(run, now))
  return new Set(ending.map((run) => run.id))
}

/** A person has to answer it, or to continue what it waits for. */
function needsPerson(run: AccountRow, now: RunsNow): boolean {
  if (isStopped(run.status)) return true
  if (run.status !== 'waiting') return false
  if (run.reason === 'approval' || run.reason === 'question') return true
  return run.reason === 'children' && awaitedBy(run, now).some((child) => needsPerson(child, now))
}

/** A run waits for what it has started in the foreground; at its end, for what is in the background. */
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

/** Paused, and to go on: its parent is not told of it. */
export function isHeldBack({ status, reason }: AccountRow): boolean {
  return status === 'paused' && !isReported({ status, reason })
}
