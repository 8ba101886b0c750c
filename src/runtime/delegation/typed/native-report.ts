import type { JsonSchema } from '../../../core/agent.ts'
import type { AskedFor } from '../../../loop/ports.ts'
import type { Reader } from '../../../store/port.ts'
import type { LiveRun } from '../../run/live-run.ts'
import { correctionsOf } from './correct-report.ts'
import { outputSchemaOf } from './report-check.ts'

/**
 * The schema of a report, where the answer to a request can be nothing else: nothing may be called, or the report is being
 * corrected. Otherwise what a model says between its calls would have to be one too.
 */
export function nativeReport(store: Reader, run: LiveRun): (request: AskedFor) => JsonSchema | undefined {
  const schema = outputSchemaOf(store, run)
  return ({ tools, toolChoice }) => {
    if (!schema) return undefined
    const isReport = tools.length === 0 || toolChoice === 'none' || correctionsOf(store, run) > 0
    return isReport ? schema : undefined
  }
}
