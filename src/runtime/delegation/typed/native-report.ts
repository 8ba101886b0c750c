import type { JsonSchema } from '../../../core/agent.ts'
import type { AskedFor } from '../../../loop/ports.ts'
import type { Reader } from '../../../store/port.ts'
import type { LiveRun } from '../../run/live-run.ts'
import { correctionsOf } from './correct-report.ts'
import { outputSchemaOf } from './report-check.ts'

/**
 * The schema of a report for native structured output: only if the next answer must be the report, because no tool is
 * offered or the report is being corrected. Otherwise text between calls would have to satisfy it too.
 */
export function nativeReport(store: Reader, run: LiveRun): (request: AskedFor) => JsonSchema | undefined {
  const schema = outputSchemaOf(store, run)
  return ({ tools, toolChoice }) => {
    if (!schema) return undefined
    const isReport = tools.length === 0 || toolChoice === 'none' || correctionsOf(store, run) > 0
    return isReport ? schema : undefined
  }
}
