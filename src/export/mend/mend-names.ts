import type { ConversationId } from '../../core/ids.ts'
import type { Reader, Rows } from '../../store/port.ts'
import { groupBy, readConversationRows, type ConversationRows } from '../conversation-rows.ts'
import { areFactsPossible, factsWithoutLost, mendPart, type IsKnown } from './mend-part.ts'
import type { MendedRows } from './mended-rows.ts'

/** Clears references to lost rows that no foreign key covers. */
export function mendNames(reader: Reader, id: ConversationId, mended: MendedRows): void {
  const rows = readConversationRows(reader, id)
  const ids = new Set<string>(
    [rows.branches, rows.messages, rows.parts, rows.runs, rows.artifacts].flatMap((table) =>
      table.map((row) => row.id),
    ),
  )
  const isKnown: IsKnown = (each) => ids.has(each)
  mendMessages(rows, isKnown, mended)
  mendRuns(rows, isKnown, mended)
  for (const item of rows.inbox) mendItem(item, isKnown, mended)
}

function mendMessages(rows: ConversationRows, isKnown: IsKnown, mended: MendedRows): void {
  const parts = groupBy(rows.parts, (part) => part.messageId)
  for (const message of rows.messages) {
    if (message.runId !== null && !isKnown(message.runId))
      mended.update('messages', message.id, { runId: null })
    for (const row of parts.get(message.id) ?? []) {
      const next = mendPart(row, message.role, isKnown)
      if (next) mended.replacePart(row, next)
    }
  }
}

/** A report is read from the branch of its run. */
function mendRuns(
  { runs, messages, tool_calls }: ConversationRows,
  isKnown: IsKnown,
  mended: MendedRows,
): void {
  const branches = new Map<string, string>(messages.map((row) => [row.id, row.branchId]))
  for (const { id, branchId, reportMessageId, partialFrom } of runs) {
    const isElsewhere = (message: string | null | undefined) =>
      !!message && branches.get(message) !== branchId
    if (isElsewhere(reportMessageId)) mended.update('runs', id, { reportMessageId: null })
    if (isElsewhere(partialFrom)) mended.update('runs', id, { partialFrom: null })
  }
  for (const { id, messageId, partId, resultPartId } of tool_calls) {
    if (!isKnown(messageId) || !isKnown(partId)) mended.remove('tool_calls', id)
    else if (resultPartId !== null && !isKnown(resultPartId))
      mended.update('tool_calls', id, { resultPartId: null })
  }
}

function mendItem(item: Rows['inbox'], isKnown: IsKnown, mended: MendedRows): void {
  const { id, report } = item
  if (!report) return
  if (!isKnown(report.fromRunId) || !isKnown(report.branchId) || !areFactsPossible(report))
    return mended.giveUpItem(item)
  const rest = factsWithoutLost(report, isKnown)
  if (rest !== report) mended.update('inbox', id, { report: rest })
}
