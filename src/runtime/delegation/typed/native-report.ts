import type { AskedFor, AskedForm } from '../../../loop/ports.ts'
import type { Reader } from '../../../store/port.ts'
import type { LiveRun } from '../../run/live-run.ts'
import { correctionsOf } from './correct-report.ts'
import { outputSchemaOf } from './report-check.ts'

/**
 * The schema of a report for native structured output, and whether calls may come before it: not if no tool is offered or
 * the report is being corrected.
 */
export function nativeReport(store: Reader, run: LiveRun): (request: AskedFor) => AskedForm {
  const answerSchema = outputSchemaOf(store, run)
  return ({ tools, toolChoice }) => {
    if (!answerSchema) return {}
    const isReport = tools.length === 0 || toolChoice === 'none' || correctionsOf(store, run) > 0
    return { answerSchema, ...(isReport ? {} : { callsFirst: true }) }
  }
}
