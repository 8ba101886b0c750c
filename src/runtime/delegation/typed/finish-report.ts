import type { Outcome } from '../../../loop/ports.ts'
import type { LiveRun } from '../../run/live-run.ts'
import type { Deps } from '../../context/deps.ts'
import type { ScopePart } from '../../context/scope.ts'
import type { CheckedReport } from '../../run/checked-report.ts'
import { MAX_CORRECTIONS } from './correct-report.ts'
import { checkReport } from './report-check.ts'
import { summarise, type SummaryPorts } from './summarise.ts'

/**
 * What a run ends with, once its report has been checked or shortened: one that had to satisfy a schema and does not has
 * failed. A run that a limit has paused is not: what it concluded with is taken where it satisfies the schema.
 */
export async function finishReport(
  scope: ScopePart<SummaryPorts & Pick<Deps, 'store'>, 'budget'>,
  run: LiveRun,
  outcome: Outcome,
): Promise<Outcome> {
  if (outcome.type !== 'completed' && outcome.type !== 'limit') return outcome
  const { text, lastText = text } = outcome.report // earlier turns of a partial report are no conclusion
  const checked = await checkReport(scope.deps.store, run, lastText)
  if (checked) return checkedOutcome(checked, outcome)
  if (outcome.type === 'limit') return outcome
  return { ...outcome, report: await summarise(scope, run, outcome.report) }
}

function checkedOutcome(
  checked: CheckedReport,
  outcome: Extract<Outcome, { readonly type: 'completed' | 'limit' }>,
): Outcome {
  const { report } = outcome
  if (checked.fits) return { ...outcome, report: { ...report, output: checked.value } }
  if (outcome.type === 'limit') return outcome
  const tries = checked.canBeMended ? ` after ${MAX_CORRECTIONS} corrective tries` : ''
  const message = `the report does not satisfy its output_schema${tries}: ${checked.lines.join('; ')}`
  const { type: _, ...ended } = outcome
  return { ...ended, type: 'failed', error: { code: 'output_schema', message } }
}
