import { z } from 'zod'
import { isStopped } from '../../core/run-status.ts'
import type { Reader } from '../../store/port.ts'
import type { AnyTool } from '../../tools/port.ts'
import { controlTool } from './control-tool.ts'
import type { LiveRun } from '../run/live-run.ts'
import { readMessages } from '../run/messages.ts'
import { reportFacts } from '../journal/report-text.ts'
import { reportText } from '../log/stored-events.ts'
import {
  requireSubagent,
  targetInput,
  targetSchema,
  type SubagentLookup,
  type Subagent,
} from './task-target.ts'
import { transcriptLines } from '../run/transcript-text.ts'

/**
 * Characters per page. At most three bytes each, so that a page with its labels is never cut
 * (bounds.inlineOutputBytes).
 */
const PAGE_CHARS = 9_000

const fields = () => ({
  offset: z.int().min(0).optional().describe('where to begin, in characters; 0 if absent'),
  limit: z.int().min(1).optional().describe(`how many characters; at most ${PAGE_CHARS}`),
})
const inputSchema = z.lazy(() => z.strictObject({ ...targetInput(), ...fields() }))

/** `task_output {task_id, offset?, limit?}`: the whole report, or the transcript of an active subagent. */
export function createTaskOutput(scope: SubagentLookup, run: LiveRun): AnyTool {
  const { store } = scope.deps
  return controlTool<z.infer<typeof inputSchema>>({
    name: 'task_output',
    verb: 'Read the output of',
    inputSchema,
    modelSchema: () => targetSchema(fields()),
    idempotent: true,
    async execute({ task_id, offset = 0, limit = PAGE_CHARS }) {
      const target = requireSubagent(scope, run, task_id)
      const { row } = target
      const stopped = isStopped(row.status)
      const page = pageOf(stopped ? reportOf(store, target) : transcriptOf(store, target), offset, limit)
      const rest = page.rest ? { rest: page.rest } : {}
      const facts = reportFacts(store, row, { note: row.reportNote, form: 'text', lacks: null })
      const { branchId, agent, status, reason } = row
      return {
        text: page.text,
        subagent: stopped
          ? { type: 'report', ...facts, ...rest }
          : { type: 'transcript', branchId, agent, status, reason, ...rest },
      }
    },
  })
}

function reportOf(store: Reader, { row }: Subagent): string {
  if (row.output !== undefined && row.output !== null) return JSON.stringify(row.output, null, 2)
  return reportText(store, row)
}

function pageOf(whole: string, offset: number, limit: number): { text: string; rest: string | null } {
  const from = cleanCut(whole, Math.min(offset, whole.length))
  const to = cleanCut(whole, Math.min(from + Math.min(limit, PAGE_CHARS), whole.length))
  const end = to > from ? to : Math.min(from + 2, whole.length) // half a character is rounded up to a whole one
  const text = whole.slice(from, end)
  if (from === 0 && end === whole.length) return { text, rest: null }
  const next = end < whole.length ? `; go on with offset ${end}` : ', which is its end'
  return { text, rest: `[characters ${from} to ${end} of ${whole.length}${next}]` }
}

/** Not between the two halves of a character. */
function cleanCut(text: string, at: number): number {
  const half = at > 0 && at < text.length && /^[\udc00-\udfff]/.test(text[at]!)
  return half && /[\ud800-\udbff]/.test(text[at - 1]!) ? at - 1 : at
}

function transcriptOf(store: Reader, { branch }: Subagent): string {
  return readMessages(store, branch.id)
    .filter(({ role }) => role !== 'system')
    .flatMap(transcriptLines)
    .join('\n')
}
