import { elapsedMs } from '../../core/elapsed.ts'
import type { ReportFacts } from '../../core/report-facts.ts'
import { isStopped } from '../../core/run-status.ts'
import type { StoredRun } from '../../core/run.ts'
import type { InboxRow, PartRow } from '../../store/port.ts'
import { groupBy } from '../conversation-rows.ts'
import type { DocumentRows } from '../document-rows.ts'

type Rows = Pick<DocumentRows, 'inbox' | 'messages' | 'parts' | 'runs'>

/**
 * The rows of a document with reports in their current form. An older program stored a report as a text with an
 * envelope. Inbox items identify reports, never their text. Older stores get the same
 * (store/migrations/0009_who_wrote_what.sql).
 */
export function typedReports<T extends Rows>(rows: T): T {
  const old = rows.inbox.filter((item) => item.kind === 'result' && item.fromRunId !== null && !item.report)
  if (old.length === 0) return rows
  const runs = new Map(rows.runs.map((run) => [run.id, run]))
  const typed = new Map(
    old.flatMap((item) => {
      const run = runs.get(item.fromRunId!)
      return run ? [[item, typedItem(item, run)] as const] : []
    }),
  )
  const messages = new Map(rows.messages.map((message) => [message.id, message]))
  const delivered = groupBy(rows.inbox, (item) => placeOf(item.branchId, item.deliveredAt))
  const parts = rows.parts.map((row) => {
    const message = messages.get(row.messageId)
    const there = message?.role === 'user' && delivered.get(placeOf(message.branchId, message.createdAt))
    return there ? withReport(row, there, typed) : row
  })
  return { ...rows, parts, inbox: rows.inbox.map((item) => typed.get(item) ?? item) }
}

type TypedItem = InboxRow & { readonly report: ReportFacts }

function typedItem(item: InboxRow, run: StoredRun): TypedItem {
  const { before, text, after } = splitEnvelope(item.text)
  // a run that has continued since was paused
  const isSame = run.stopNo === item.stopNo && isStopped(run.status)
  return { ...item, text, report: toldReport(run, isSame, { before, after }) }
}

/** Known facts about a report of an older program. `isSame`: the run has not changed since. */
export function toldReport(
  run: StoredRun,
  isSame: boolean,
  told: NonNullable<ReportFacts['told']>,
): ReportFacts {
  const { turns, toolCalls, costUsd, limits } = run
  const durationMs = elapsedMs(run)
  return {
    fromRunId: run.id,
    branchId: run.branchId,
    agent: run.agent,
    description: run.description,
    status: isSame ? run.status : 'paused',
    reason: isSame ? run.reason : null,
    endReason: isSame ? run.endReason : null,
    figures: isSame ? { turns, maxTurns: limits.maxTurns, toolCalls, durationMs, costUsd } : null,
    note: null,
    error: null,
    form: 'text',
    lacks: null,
    receipts: null,
    told,
  }
}

const END = '\n</subagent_report>\n'

/** For a text known to be a report. */
export function splitEnvelope(text: string): {
  readonly before: string
  readonly text: string
  readonly after: string
} {
  const head = text.startsWith('<subagent_report ') ? text.indexOf('>\n') + 2 : 0
  const tail = text.indexOf(END, head)
  if (head < 2 || tail < 0) return { before: '', text, after: '' }
  return { before: text.slice(0, head), text: text.slice(head, tail), after: text.slice(tail) }
}

function placeOf(branchId: string, at: number | null): string {
  return `${branchId} ${at}`
}

/** The delivered message: same text, time and branch, and no other author. */
function withReport(
  row: PartRow,
  delivered: readonly InboxRow[],
  typed: ReadonlyMap<InboxRow, TypedItem>,
): PartRow {
  const { part } = row
  const same = part.type === 'text' ? delivered.filter(({ text }) => text === part.text) : []
  const item = same.map((each) => typed.get(each)).find((each) => each !== undefined)
  if (!item || same.some(({ kind }) => kind === 'user')) return row
  return { ...row, part: { id: part.id, type: 'report', text: item.text, report: item.report } }
}
