import type { ContextMessage } from '../../core/build-context.ts'
import type { ModelInfo } from '../../model/port.ts'
import type { RunJournal } from '../journal/journal.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Scope } from '../context/scope.ts'

const REMINDER =
  'You ended your first turn without a single call of a tool. If the task is to be done with tools, do it now. If it needs none, write your whole report again: a turn without tool calls ends the task.'

/**
 * What a subagent reads instead of ending in the first turn of its branch, if it has tools and used none (tools.md §5).
 * Told once: a crash gives it nothing twice, since that turn is over as soon as this is stored.
 */
export async function remindFirstTurn(
  { deps, tree }: Pick<Scope, 'deps' | 'tree'>,
  { row, tools }: LiveRun,
  journal: Pick<RunJournal, 'instruct'>,
  { fixed = false }: Pick<ModelInfo, 'fixed'>,
): Promise<readonly ContextMessage[]> {
  const hasOnlySpoken = row.depth > 0 && row.turns === 1 && row.toolCalls === 0 && row.limits.maxTurns > 1
  if (!hasOnlySpoken || fixed || tools.length === 0 || tree.budget.reached(row)) return []
  const isFirst = deps.store.count('runs', { branchId: row.branchId }) === 1
  return isFirst ? [await journal.instruct(REMINDER)] : []
}
