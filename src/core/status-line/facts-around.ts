import { childrenByBranch, type ChildrenOfBranches, type RunOfBranch } from './child-counts.ts'
import type { StatusFacts } from './status-line.ts'

/** The runs of a conversation, for the status line of one of them. */
export interface FamilyTree {
  readonly runs: ReadonlyMap<string, RunOfBranch>
  readonly children: ChildrenOfBranches
  readonly latest: ReadonlyMap<string, RunOfBranch>
}

/** `runs`: all of a conversation, the oldest first. */
export function familyTree(runs: readonly RunOfBranch[]): FamilyTree {
  return {
    runs: new Map(runs.map((run) => [run.id, run])),
    children: childrenByBranch(runs),
    latest: new Map(runs.map((run) => [run.branchId, run])),
  }
}

/**
 * The runs above and below a run. `asksOf`: open approvals and questions of one. Runs below come from the latest run
 * only.
 */
export function factsAround(
  run: RunOfBranch,
  { runs, children, latest }: FamilyTree,
  asksOf: (run: RunOfBranch) => readonly string[],
): Pick<StatusFacts, 'children' | 'below' | 'askBelow' | 'parent'> {
  const parent = run.parentRunId === null ? undefined : runs.get(run.parentRunId)
  if (latest.get(run.branchId)?.id !== run.id) return { parent }
  const around = { parent, children: children.get(run.branchId) }
  // only the status line of a done or paused run mentions deeper runs
  if (run.status !== 'completed' && run.status !== 'paused') return around
  const below = allBelow(children, run.branchId)
  const askBelow = below.flatMap((each) => (each.status === 'waiting' ? asksOf(each) : [])).toSorted()[0]
  return { ...around, below, askBelow }
}

/** A document may contain a cycle. */
function allBelow(children: ChildrenOfBranches, branchId: string): readonly RunOfBranch[] {
  const found = new Map<string, RunOfBranch>()
  const add = (id: string) => {
    for (const run of children.get(id) ?? []) {
      if (found.has(run.branchId) || run.branchId === branchId) continue
      found.set(run.branchId, run)
      add(run.branchId)
    }
  }
  add(branchId)
  return [...found.values()]
}
