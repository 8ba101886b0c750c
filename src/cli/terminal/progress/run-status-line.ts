import { activityOf } from '../../../core/status-line/activity.ts'
import { factsAround, familyTree } from '../../../core/status-line/facts-around.ts'
import { statusLine, type StatusLine } from '../../../core/status-line/status-line.ts'
import type { ProgressTree, RunLine } from './progress-tree.ts'

/** The status line of a run, of what its events have told. `tree`: where its subagents stand. */
export function runStatusLine(run: RunLine, tree: ProgressTree): StatusLine {
  const all = [...tree.values()].map((each) => ({ ...each, id: each.runId }))
  const asksOf = ({ id }: { readonly id: string }) =>
    tree.get(id as RunLine['runId'])?.asks.map((ask) => ask.id) ?? []
  const { position, headline, startedAt } = run
  const row = {
    ...run,
    queuePosition: position === 0 ? null : position,
    error: run.status === 'failed' ? { message: headline } : null,
    queuedAt: startedAt,
  }
  return statusLine(row, {
    activity: activityOf(
      run.calls,
      run.streaming === null ? [] : [{ type: run.streaming.kind }],
      run.streaming?.since,
    ),
    ...factsAround({ ...run, id: run.runId }, familyTree(all), asksOf),
    asks: run.asks.map(({ id }) => id),
    queueLine: run.line,
    queueLength: all.filter((each) => each.position > 0).length,
  })
}
