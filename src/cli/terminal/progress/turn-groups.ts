import type { RunId } from '../../../core/ids.ts'
import type { ProgressTree, RunLine } from './progress-tree.ts'
import { needsYou } from './progress-text.ts'

/** A run with the runs that it started. */
export interface RunNode {
  readonly run: RunLine
  readonly below: readonly RunNode[]
}

/** Children of one turn of the main agent, or of nobody that is shown. */
export interface RunGroup {
  readonly nodes: readonly RunNode[]
  /** Nothing in it goes on, and nothing more comes to it. */
  readonly settled: boolean
}

/** Everything below the main agent that is not left out, the oldest first; what needs a person comes before it. */
export function groupsOf(tree: ProgressTree, leftOut: ReadonlySet<RunId>): RunGroup[] {
  const shown = [...tree.values()].filter((run) => run.depth > 0 && !leftOut.has(run.runId))
  const byParent = Map.groupBy(shown, (run) => run.parentRunId)
  const isBelow = ({ parentRunId }: RunLine) => {
    const parent = parentRunId && tree.get(parentRunId)
    return parent ? parent.depth > 0 && !leftOut.has(parent.runId) : false
  }
  const node = (run: RunLine): RunNode => ({
    run,
    below: askersFirst((byParent.get(run.runId) ?? []).map(node)),
  })
  const top = shown.filter((run) => !isBelow(run))
  const groups = Map.groupBy(top, ({ parentRunId, parentTurn }) => `${parentRunId} ${parentTurn}`)
  return [...groups.values()]
    .map((runs) => ({ nodes: askersFirst(runs.map(node)), settled: isSettled(tree, runs.map(node)) }))
    .toSorted((a, b) => Number(b.nodes.some(asks)) - Number(a.nodes.some(asks)))
}

/** All runs of a group, each before those below it. */
export function runsOf(nodes: readonly RunNode[]): RunLine[] {
  return nodes.flatMap(({ run, below }) => [run, ...runsOf(below)])
}

function askersFirst(nodes: readonly RunNode[]): RunNode[] {
  return nodes.toSorted((a, b) => Number(asks(b)) - Number(asks(a)))
}

function asks(node: RunNode): boolean {
  return runsOf([node]).some(needsYou)
}

function isSettled(tree: ProgressTree, nodes: readonly RunNode[]): boolean {
  if (runsOf(nodes).some(({ endedAt }) => endedAt === null)) return false
  const { parentRunId, parentTurn } = nodes[0]!.run
  const parent = parentRunId && tree.get(parentRunId)
  return !parent || parent.endedAt !== null || parent.turn > parentTurn
}
