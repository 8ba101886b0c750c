import type { BranchId } from '../../core/ids.ts'
import { commandToContinue, pausedFact } from '../../core/status-line/paused-below.ts'
import type { RunResult } from '../../runtime/views/run-result.ts'
import type { Reader } from '../../store/port.ts'

/** The command that continues a branch, with the option that the limit of its latest run needs. */
export function continueText(store: Reader, branchId: string): string {
  const query = { orderBy: 'id', descending: true, limit: 1 } as const
  const [run] = store.find('runs', { where: { branchId: branchId as BranchId }, ...query })
  const more = run?.status === 'paused' ? limitText({ ...run, note: run.reportNote }) : ''
  return commandToContinue(branchId) + more
}

/** `subagent general (fix it) is paused (user): offshoot continue brn_…` */
export function pausedText(store: Reader, run: Parameters<typeof pausedFact>[0]): string {
  return `${pausedFact(run)}: ${continueText(store, run.branchId)}`
}

/** What a pause at a limit needs besides `continue`; empty where nothing. */
export function limitText({ endReason, note }: Pick<RunResult, 'endReason' | 'note'>): string {
  if (endReason === 'max_turns') return ' (--max-turns N sets how many more turns it gets)'
  if (endReason !== 'budget') return ''
  // the note of a budget pause holds the figures, in dollars or in tokens
  if (note?.includes('$')) return ' --budget-usd N, with N above the budget so far'
  return ', after you have raised limits.maxTokens in the configuration'
}
