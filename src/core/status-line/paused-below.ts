import { isStopped, type RunReason, type RunStatus } from '../run-status.ts'

interface RunBelow {
  readonly id: string
  readonly branchId: string
  readonly parentRunId: string | null
  readonly status: RunStatus
  readonly reason: RunReason | null
}

/** A paused run, the latest of its branch, with the runs above it on other branches, nearest first. */
interface Paused<R> {
  readonly run: R
  readonly above: readonly R[]
}

/** `runs`: all of a conversation, the oldest first. */
function pausedRuns<R extends RunBelow>(runs: readonly R[]): Paused<R>[] {
  const known = new Map(runs.map((run) => [run.id, run]))
  const latest = new Map(runs.map((run) => [run.branchId, run]))
  return [...latest.values()]
    .filter(({ status }) => status === 'paused')
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((run) => ({ run, above: above(run, known).filter(({ branchId }) => branchId !== run.branchId) }))
}

/** A document may name a missing parent, or contain a cycle. */
function above<R extends RunBelow>(run: R, known: ReadonlyMap<string, R>): R[] {
  const found = new Set<R>()
  for (let next = parentOf(run, known); next && !found.has(next); next = parentOf(next, known))
    found.add(next)
  return [...found]
}

function parentOf<R extends RunBelow>({ parentRunId }: R, known: ReadonlyMap<string, R>): R | undefined {
  return parentRunId === null ? undefined : known.get(parentRunId)
}

/** The paused runs below those that `isRoot` selects, at any depth. `runs`: all of a conversation, the oldest first. */
export function pausedBelow<R extends RunBelow>(runs: readonly R[], isRoot: (run: R) => boolean): R[] {
  return pausedRuns(runs)
    .filter((paused) => paused.above.some(isRoot))
    .map(({ run }) => run)
}

/**
 * Paused subagents that must be continued by hand. None while the latest root is active. If it is paused, subagents
 * that paused with it resume with it.
 */
export function leftPausedBelow<R extends RunBelow>(runs: readonly R[], isRoot: (run: R) => boolean): R[] {
  const last = runs.findLast(isRoot)
  if (!last || !isStopped(last.status)) return []
  return pausedBelow(runs, isRoot).filter((run) => isLeftBy(last, run))
}

/** The same for each branch. */
export function leftPausedByBranch<R extends RunBelow>(
  runs: readonly R[],
): ReadonlyMap<string, readonly R[]> {
  const latest = new Map(runs.map((run) => [run.branchId, run]))
  const left = new Map<string, R[]>()
  for (const { run, above: others } of pausedRuns(runs))
    for (const branchId of new Set(others.map((other) => other.branchId))) {
      const last = latest.get(branchId)!
      if (isStopped(last.status) && isLeftBy(last, run))
        left.set(branchId, [...(left.get(branchId) ?? []), run])
    }
  return left
}

/** Whether a paused subagent of this run must be continued by itself. */
export function isLeftBy(
  { status }: Pick<RunBelow, 'status'>,
  { reason }: Pick<RunBelow, 'reason'>,
): boolean {
  return status !== 'paused' || reason !== 'parent'
}

interface PausedRun {
  readonly agent: string
  readonly description: string
  readonly reason: RunReason | null
  readonly branchId: string
}

/** `subagent general (fix it) is paused (user)` */
export function pausedFact({ agent, description, reason }: PausedRun): string {
  return `subagent ${agent} (${description}) is paused (${reason})`
}

export function commandToContinue(branchId: string): string {
  return `offshoot continue ${branchId}`
}
