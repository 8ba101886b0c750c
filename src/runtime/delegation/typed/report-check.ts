import { isDeepStrictEqual } from 'node:util'
import { issueLines, schemaChecker } from '../../../agents/schema-checker.ts'
import type { CheckOutput, JsonSchema } from '../../../core/agent.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { Reader } from '../../../store/port.ts'
import type { LiveRun } from '../../run/live-run.ts'
import type { CheckedReport } from '../../run/checked-report.ts'
import { lastJson, MAX_JSON_CHARS } from './last-json.ts'

/**
 * What a run's report must satisfy: for a subagent, the schema of its spawn; for a main run, its own, or its agent's.
 */
export function outputSchemaOf(reader: Reader, { row, agent }: LiveRun): JsonSchema | undefined {
  const branch = reader.get('branches', row.branchId)
  if (branch?.kind === 'main') return branch.outputSchema ?? agent.outputSchema
  return (branch?.kind === 'subagent' && branch.outputSchema) || undefined
}

/**
 * Checks the last complete JSON value of a run's report. undefined: no schema applies. Never rejects, whatever the
 * schema and text are. Caches the last check, because the end of a run needs it twice and it may be slow.
 */
export async function checkReport(
  reader: Reader,
  run: LiveRun,
  text: string,
): Promise<CheckedReport | undefined> {
  if (run.checked?.text === text) return run.checked.result
  const schema = outputSchemaOf(reader, run)
  if (!schema) return undefined
  const result = await check(schema, text, ownCheck(run, schema))
  if (!run.controller.signal.aborted) run.checked = { text, result }
  return result
}

/** The agent's own check belongs to the agent's schema: a spawn may have set another one. */
function ownCheck({ agent, controller }: LiveRun, schema: JsonSchema): CheckOutput | undefined {
  const { checkOutput, outputSchema } = agent
  if (!checkOutput || !isDeepStrictEqual(schema, outputSchema)) return undefined
  return (value) => unlessStopped(controller.signal, async () => await checkOutput(value))
}

async function check(
  schema: JsonSchema,
  text: string,
  more: CheckOutput | undefined,
): Promise<CheckedReport> {
  const checker = schemaChecker(schema)
  if (typeof checker === 'string') return hopeless(checker)
  const found = lastJson(text)
  if (!found) return { fits: false, lines: [missing(text)], canBeMended: true }
  const issues = checker(found.value)
  if (typeof issues === 'string') return hopeless(issues)
  if (issues.length > 0) return { fits: false, lines: issueLines(issues), canBeMended: true }
  try {
    const lines = (await more?.(found.value)) ?? []
    if (lines.length > 0) return { fits: false, lines, canBeMended: true }
  } catch (error) {
    return hopeless(`its own check failed: ${errorMessage(error)}`)
  }
  return { fits: true, value: found.value }
}

/** Foreign code may never return. */
async function unlessStopped<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new Error('the run was stopped'))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([promise, work()])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function hopeless(why: string): CheckedReport {
  return { fits: false, lines: [`its schema cannot be used: ${why}`], canBeMended: false }
}

function missing({ length }: string): string {
  return length > MAX_JSON_CHARS
    ? `it has ${length} characters; at most ${MAX_JSON_CHARS} are read`
    : 'there is no complete JSON value in it'
}
