import { isFinal, isStopped, type RunReason, type RunStatus } from '../run-status.ts'

/** What of a subagent counts in the status line above it: the latest run of its branch. */
export interface ChildRun {
  readonly branchId: string
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly background: boolean
  readonly endedAt: number | null
}

export interface ChildWait {
  /** Those that the run waits for, and those of them that have not answered yet. */
  readonly all: number
  readonly left: number
  /** What became of the others, and what holds up those that are left: `2 cancelled, 1 needs you`. */
  readonly detail: string | null
  /** The branch of the first that is paused, where every one that is left is: nothing happens by itself. */
  readonly stuckAt: string | null
}

/**
 * The subagents that a run waits for since that time. Who had stopped before belongs to an earlier wait. A run waits for
 * what it started in the foreground; at its end, for what is in the background.
 */
export function childWait(children: readonly ChildRun[], since: number): ChildWait | null {
  const recent = children.filter((child) => isLeft(child) || (child.endedAt ?? 0) >= since)
  const foreground = recent.filter(({ background }) => !background)
  const all = foreground.some(isLeft) ? foreground : recent
  const left = all.filter(isLeft)
  if (left.length === 0) return null
  const ended = all.filter((child) => !isLeft(child))
  const detail = [...countsOf(ended, ENDED), ...countsOf(left, LEFT)].join(', ')
  const isStuck = left.every(({ status }) => status === 'paused')
  return {
    all: all.length,
    left: left.length,
    detail: detail || null,
    stuckAt: isStuck ? left[0]!.branchId : null,
  }
}

export interface BelowCounts {
  readonly paused: number
  readonly open: number
  /** The branch of the first that is paused. */
  readonly pausedAt: string | null
}

/** How many subagents are paused, and how many still work, below a run that has completed. */
export function belowCounts(children: readonly ChildRun[]): BelowCounts {
  const paused = children.filter(({ status }) => status === 'paused')
  const open = children.filter(({ status }) => !isStopped(status))
  return { paused: paused.length, open: open.length, pausedAt: paused[0]?.branchId ?? null }
}

/** A run that a limit, its budget or the watchdog has paused has answered the call that waited for it. */
function isLeft({ status, reason }: ChildRun): boolean {
  if (status !== 'paused') return !isFinal(status)
  return reason === 'user' || reason === 'parent' || reason === 'restart'
}

type Words = readonly (readonly [word: string, is: (child: ChildRun) => boolean])[]

const ENDED: Words = [
  ['done', ({ status }) => status === 'completed'],
  ['failed', ({ status }) => status === 'failed'],
  ['cancelled', ({ status }) => status === 'cancelled'],
  ['stopped at a limit', ({ status }) => status === 'paused'],
]

const LEFT: Words = [
  ['needs you', ({ reason }) => reason === 'approval' || reason === 'question'],
  ['queued', ({ status }) => status === 'queued'],
  ['paused', ({ status }) => status === 'paused'],
]

function countsOf(children: readonly ChildRun[], words: Words): string[] {
  return words.flatMap(([word, is]) => {
    const count = children.filter(is).length
    return count === 0 ? [] : [`${count} ${word === 'needs you' && count > 1 ? 'need you' : word}`]
  })
}

/** A run with its place in the tree of runs. */
export interface RunOfBranch extends ChildRun {
  readonly id: string
  readonly parentRunId: string | null
}

export type ChildrenOfBranches = ReadonlyMap<string, readonly ChildRun[]>

/** By branch: the latest run of each branch that a run of it has started, the oldest branch first. */
export function childrenByBranch(runs: readonly RunOfBranch[]): ChildrenOfBranches {
  const branches = new Map(runs.map(({ id, branchId }) => [id, branchId]))
  const latest = new Map<string, RunOfBranch>()
  for (const run of runs) {
    const known = latest.get(run.branchId)
    if (!known || known.id < run.id) latest.set(run.branchId, run)
  }
  const parentOf = ({ parentRunId }: RunOfBranch) => parentRunId && branches.get(parentRunId)
  const children = [...latest.values()].filter((run) => parentOf(run) && parentOf(run) !== run.branchId)
  return Map.groupBy(children, (run) => parentOf(run)!)
}
