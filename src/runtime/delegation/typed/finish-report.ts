import type { Outcome } from '../../../loop/ports.ts'
import type { LiveRun } from '../../run/live-run.ts'
import type { Deps } from '../../context/deps.ts'
import type { ScopePart } from '../../context/scope.ts'
import type { CheckedReport } from '../../run/checked-report.ts'
import { MAX_CORRECTIONS } from './correct-report.ts'
import { checkReport } from './report-check.ts'
import { summarise, type SummaryPorts } from './summarise.ts'

/**
 * The end of a run after its report was checked or shortened: a report that does not satisfy its schema fails the run.
 * A run paused by a limit has not failed: its conclusion is used if it satisfies the schema.
 */
export async function finishReport(
  scope: ScopePart<SummaryPorts & Pick<Deps, 'store'>, 'budget'>,
  run: LiveRun,
  outcome: Outcome,
): Promise<Outcome> {
  if (outcome.type !== 'completed' && outcome.type !== 'limit') return outcome
  const { text, lastText = text } = outcome.report // earlier turns of a partial report are not a conclusion
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
