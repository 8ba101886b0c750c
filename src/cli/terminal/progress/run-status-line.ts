import { activityOf } from '../../../core/status-line/activity.ts'
import { childrenByBranch } from '../../../core/status-line/child-counts.ts'
import { statusLine, type StatusLine } from '../../../core/status-line/status-line.ts'
import type { ProgressTree, RunLine } from './progress-tree.ts'

/** The status line of a run, of what its events have told. `tree`: where its subagents stand. */
export function runStatusLine(run: RunLine, tree: ProgressTree): StatusLine {
  const all = [...tree.values()]
  const { position, headline, startedAt } = run
  const row = {
    ...run,
    queuePosition: position === 0 ? null : position,
    error: run.status === 'failed' ? { message: headline } : null,
    queuedAt: startedAt,
  }
  return statusLine(row, {
    activity: activityOf(run.calls, run.streaming === null ? [] : [{ type: run.streaming }]),
    children: childrenByBranch(all.map((each) => ({ ...each, id: each.runId }))).get(run.branchId),
    asks: run.asks.map(({ id }) => id),
    queueLine: run.line,
    queueLength: all.filter((each) => each.position > 0).length,
  })
}
