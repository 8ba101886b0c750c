import type { CallId, PartId } from '../../core/ids.ts'
import type { ToolOutput } from '../../core/message.ts'
import { isStopped } from '../../core/run-status.ts'
import type { StoredRun, ToolCall } from '../../core/run.ts'
import type { DocumentRows } from '../document-rows.ts'
import { splitEnvelope, toldReport } from './typed-reports.ts'

type Rows = Pick<DocumentRows, 'parts' | 'runs' | 'tool_calls'>

/**
 * In a document of an older program, the answer of a call that started a subagent is one text for people and the model.
 * The run that it started identifies the call. The text is split where the runtime named that run; an answer without
 * the name stays unchanged. Older stores get the same (store/migrations/0012_answers_and_turns.sql).
 */
export function typedAnswers<T extends Rows>(rows: T): T {
  const answers = startingCalls(rows)
  const parts = rows.parts.map((row) => {
    const { part } = row
    const answer = part.type === 'tool-result' && !part.output.subagent && answers.get(part.id)
    return answer ? { ...row, part: { ...part, output: typedOutput(part.output, answer) } } : row
  })
  return { ...rows, parts }
}

interface Answer {
  readonly run: StoredRun
  readonly call: ToolCall
}

/** By answering part: each call that started a run, with the latest run that it had started by then. */
function startingCalls({ runs, tool_calls }: Rows): ReadonlyMap<PartId, Answer> {
  const calls = new Map<CallId, ToolCall>(tool_calls.map((call) => [call.id, call]))
  const answers = new Map<PartId, Answer>()
  for (const run of runs.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const call = run.originCallId && calls.get(run.originCallId)
    if (call && call.resultPartId && call.endedAt !== null && call.endedAt >= run.queuedAt)
      answers.set(call.resultPartId, { run, call })
  }
  return answers
}

function typedOutput(output: ToolOutput, { run, call }: Answer): ToolOutput {
  const { branchId, agent, description } = run
  const label = `<subagent_report agent="${agent}" task_id="${branchId}" status="`
  if (!output.text.startsWith(label)) {
    const at = output.text.indexOf(`: task_id ${branchId}, status `)
    if (at < 0) return output
    const told = { before: '', after: output.text.slice(at) }
    const subagent = { type: 'started', branchId, agent, description, position: null, told } as const
    return { ...output, text: output.text.slice(0, at), subagent }
  }
  const { before, text, after } = splitEnvelope(output.text)
  if (before === '') return output
  // a run that has continued since was paused
  const isSame = isStopped(run.status) && run.endedAt !== null && run.endedAt <= call.endedAt!
  const said = text.slice(0, text.length - pausedTail(text, branchId).length)
  const told = { before, after: text.slice(said.length) + after }
  return { ...output, text: said, subagent: { type: 'report', ...toldReport(run, isSame, told) } }
}

/** Text that the runtime added to a paused run's report. */
function pausedTail(text: string, branchId: string): string {
  const line = `(It is paused, not done: \`task\` with continue "${branchId}" goes on with it.)`
  if (text === line) return text
  return text.endsWith(`\n${line}`) ? `\n${line}` : ''
}
