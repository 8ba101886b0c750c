import type { ContextMessage } from '../../core/build-context.ts'
import type { ModelInfo } from '../../model/port.ts'
import type { RunJournal } from '../journal/journal.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Deps } from '../context/deps.ts'
import type { ScopePart } from '../context/scope.ts'

const REMINDER =
  'You ended your first turn without a single call of a tool. If the task is to be done with tools, do it now. If it needs none, write your whole report again: a turn without tool calls ends the task.'

/**
 * The reminder that a subagent reads instead of ending in the first turn of its branch, if it has tools and used none.
 * It comes once, even after a crash: that turn is over as soon as the reminder is stored.
 */
export async function remindFirstTurn(
  { deps, tree }: ScopePart<Pick<Deps, 'store'>, 'budget'>,
  { row, tools }: LiveRun,
  journal: Pick<RunJournal, 'instruct'>,
  { fixed = false }: Pick<ModelInfo, 'fixed'>,
): Promise<readonly ContextMessage[]> {
  const hasOnlySpoken = row.depth > 0 && row.turns === 1 && row.toolCalls === 0 && row.limits.maxTurns > 1
  if (!hasOnlySpoken || fixed || tools.length === 0 || tree.budget.reached(row)) return []
  const isFirst = deps.store.count('runs', { branchId: row.branchId }) === 1
  return isFirst ? [await journal.instruct(REMINDER)] : []
}
