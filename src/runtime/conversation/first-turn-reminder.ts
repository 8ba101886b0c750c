import type { ContextMessage } from '../../core/build-context.ts'
import type { Report } from '../../loop/ports.ts'
import type { RunJournal } from '../journal/journal.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Deps } from '../context/deps.ts'
import type { ScopePart } from '../context/scope.ts'
import { checkReport } from '../delegation/typed/report-check.ts'

const REMINDER =
  'You ended your first turn without a single call of a tool. If the task is to be done with tools, do it now. If it needs none, write your whole report again: a turn without tool calls ends the task.'

/**
 * The reminder that a subagent gets instead of ending in its first turn, if its agent asks for it, it has tools and
 * used none. Not on a fork, where a person continues earlier work, and not if the report satisfies its schema. It comes
 * once, even after a crash: its turn is over as soon as the reminder is stored.
 */
export async function remindFirstTurn(
  { deps, tree }: ScopePart<Pick<Deps, 'store'>, 'budget'>,
  run: LiveRun,
  journal: Pick<RunJournal, 'instruct'>,
  report: Report,
): Promise<readonly ContextMessage[]> {
  const { row, tools, agent } = run
  const called = () => deps.store.count('tool_calls', { runId: row.id }) > 0
  const hasOnlySpoken = row.depth > 0 && row.turns === 1 && row.limits.maxTurns > 1 && !called()
  if (!agent.firstTurnReminder || !hasOnlySpoken || tools.length === 0 || tree.budget.reached(row)) return []
  const { branchId } = row
  const isFirst = deps.store.count('runs', { branchId }) === 1
  if (!isFirst || deps.store.get('branches', branchId)?.kind !== 'subagent') return []
  const checked = await checkReport(deps.store, run, report.text)
  run.controller.signal.throwIfAborted()
  return checked?.fits ? [] : [await journal.instruct(REMINDER)]
}
