import { isFinal, isStopped, type RunReason, type RunStatus } from '../run-status.ts'

/** The part of a subagent that its parent's status line uses: the latest run of its branch. */
export interface ChildRun {
  readonly branchId: string
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly background: boolean
  readonly endedAt: number | null
}

export interface ChildWait {
  /** The subagents that the run waits for, and those that have not answered yet. */
  readonly all: number
  readonly left: number
  /** Outcomes of the answered ones, and what blocks the others: `2 cancelled, 1 needs you`. */
  readonly detail: string | null
  /** The branch of the first paused one if all remaining are paused: nothing continues by itself. */
  readonly stuckAt: string | null
}

/**
 * The subagents that a run has waited for since that time. Earlier stops belong to an earlier wait. A run waits for
 * foreground subagents; at its end, for those in the background.
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
  /** `1 subagent needs you, 2 subagents still running`; null: none left. */
  readonly words: string | null
  readonly isOpen: boolean
  /** The branch of the first paused one. */
  readonly pausedAt: string | null
}

/** The paused or working subagents below a completed run. */
export function belowCounts(below: readonly ChildRun[], isDriven: boolean): BelowCounts {
  const paused = below.filter(({ status }) => status === 'paused')
  const open = below.filter(({ status }) => !isStopped(status))
  const asking = open.filter(({ reason }) => needsYou(reason))
  const queued = open.filter(({ status }) => status === 'queued')
  const working = open.length - asking.length - queued.length
  const openWords = isDriven
    ? [
        counted(asking.length, asking.length === 1 ? 'needs you' : 'need you'),
        counted(queued.length, 'queued'),
        counted(working, 'still running'),
      ]
    : [counted(open.length, 'left behind')]
  const words = [counted(paused.length, 'paused'), ...openWords].flat().join(', ')
  return { words: words || null, isOpen: open.length > 0, pausedAt: paused[0]?.branchId ?? null }
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${subagents(count)} ${what}`]
}

export function subagents(count: number): string {
  return `${count} ${count === 1 ? 'subagent' : 'subagents'}`
}

function needsYou(reason: RunReason | null): boolean {
  return reason === 'approval' || reason === 'question'
}

/** A run paused by a limit, its budget or the watchdog has answered the call that waited for it. */
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
  ['needs you', ({ reason }) => needsYou(reason)],
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

export type ChildrenOfBranches = ReadonlyMap<string, readonly RunOfBranch[]>

/** By branch: the latest run of each branch that a run of it started, the oldest branch first. */
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
