import type { Branch } from '../../core/conversation.ts'
import { authorWords, type Author, type Deliver, type NoticePart } from '../../core/message.ts'
import type { StoredRun } from '../../core/run.ts'
import type { Report } from '../../loop/ports.ts'
import type { Reader } from '../../store/port.ts'
import type { Deps } from '../context/deps.ts'
import { addToInbox, deliverItems } from '../run/inbox.ts'
import type { LiveRun } from '../run/live-run.ts'
import { appendMessage, type EventScope } from '../run/messages.ts'
import type { Change } from '../log/recorder.ts'
import { handedReport, type ReportPorts } from './report-text.ts'

interface SpawnCard {
  readonly branch: Branch
  readonly deliver: Deliver
  /** Who started it: a person, or an agent acting for one. */
  readonly author: Author
}

/** Writes the card of a subagent that a person starts, directly after the head that is its origin. */
export function writeSpawnCard(
  change: Change,
  deps: Pick<Deps, 'newId'>,
  here: EventScope,
  { branch, deliver, author }: SpawnCard,
): void {
  const text = `${branch.agent} started by ${authorWords(author)}: ${branch.label}`
  appendNotice(change, deps, here, { type: 'notice', text, branchId: branch.id, deliver })
}

/**
 * Delivers the report of a subagent that a person started, in the change of its end (invariant D4). An announced report
 * is added to the context of the branch above and starts nothing; any other waits in the inbox and wakes that branch.
 */
export function deliverToBranchAbove(change: Change, deps: ReportPorts, run: LiveRun, report: Report): void {
  const branch = change.tx.get('branches', run.row.branchId)!
  const parentId = branch.parentBranchId
  if (branch.kind !== 'subagent' || branch.originToolCallId || !parentId) return
  const { conversationId, id: fromRunId, stopNo } = run.row
  const here = { at: change.at, conversationId, branchId: parentId, runId: null, parentRunId: null, depth: 0 }
  const deliver = deliverOf(change.tx, branch)
  if (deliver !== 'wake') announce(change, deps, here, run.row)
  const handed = handedReport(change, deps, run.row, report)
  const item = { kind: 'result', mode: 'follow_up', ...handed, fromRunId, stopNo } as const
  const row = addToInbox(change, deps.newId, here, { ...item, conversationId, branchId: parentId })
  if (deliver === 'announce') deliverItems(change, deps.newId, here, [row])
}

function announce(change: Change, deps: Pick<Deps, 'newId'>, here: EventScope, row: StoredRun): void {
  const how = row.reason ? `${row.status} (${row.reason})` : row.status
  const seconds = Math.max(0, (row.endedAt ?? change.at) - (row.startedAt ?? row.queuedAt)) / 1000
  const text = `${row.agent} ${how}: ${row.description} (${seconds.toFixed(1)} s)`
  appendNotice(change, deps, here, { type: 'notice', text, branchId: row.branchId })
}

function appendNotice(
  change: Change,
  deps: Pick<Deps, 'newId'>,
  here: EventScope,
  notice: Omit<NoticePart, 'id'>,
): void {
  const parts = [{ id: deps.newId('prt'), ...notice }]
  appendMessage(change, deps.newId, here, { branchId: here.branchId!, role: 'user', parts, runId: null })
}

/** From its card: the message after the origin, or the first message without an origin. */
export function deliverOf(reader: Reader, { id, parentBranchId, originMessageId }: Branch): Deliver {
  const origin = originMessageId ? reader.get('messages', originMessageId) : undefined
  const where = { branchId: parentBranchId!, position: origin ? origin.position + 1 : 0 }
  const card = reader.find('messages', { where, limit: 1 })[0]
  const rows = card ? reader.find('parts', { where: { messageId: card.id } }) : []
  const notice = rows.map(({ part }) => part).find((part) => part.type === 'notice' && part.branchId === id)
  return (notice?.type === 'notice' && notice.deliver) || 'announce'
}
