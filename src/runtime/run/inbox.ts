import { OffshootError } from '../../core/errors.ts'
import type { BranchId, ConversationId, InboxItemId, NewId } from '../../core/ids.ts'
import type { Author, Message, SaidPart } from '../../core/message.ts'
import type { InboxRow, Reader } from '../../store/port.ts'
import { appendMessage, type EventScope } from './messages.ts'
import type { Change } from '../log/recorder.ts'

/** A message or a report. */
export type NewItem = Pick<InboxRow, 'mode' | 'text'> & {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
} & (
    | { readonly kind: 'user'; readonly author: Author }
    | ({ readonly kind: 'result' } & {
        readonly [K in 'fromRunId' | 'stopNo' | 'report']: NonNullable<InboxRow[K]>
      })
  )

/** Adds an item to the inbox of a branch. One stop of a run creates at most one item (invariant D3). */
export function addToInbox(change: Change, newId: NewId, scope: EventScope, item: NewItem): InboxRow {
  const open = { createdAt: change.at, deliveredAt: null, withdrawnAt: null }
  const absent = { fromRunId: null, stopNo: null, author: null, report: null }
  const row: InboxRow = { id: newId('inb'), ...absent, ...item, ...open }
  change.tx.insert('inbox', row)
  change.event({ type: 'inbox.added', ...placeOf(change, scope, row), ...about(row), ...contents(row) })
  return row
}

/**
 * Adds an item and delivers it in the same change: for the record, and so that its sender gets an id (invariant D1).
 */
export function addDelivered(change: Change, newId: NewId, scope: EventScope, item: NewItem): InboxRow {
  const row = addToInbox(change, newId, scope, item)
  markDelivered(change, scope, row)
  return row
}

/** Waiting items of a branch in order of delivery: messages of people first, then results and notes. */
export function waitingItems(reader: Reader, branchId: BranchId): InboxRow[] {
  const rows = reader
    .find('inbox', { where: { branchId, deliveredAt: null }, orderBy: 'id' })
    .filter((row) => row.withdrawnAt === null)
  return inReadingOrder(rows)
}

/** Sorts rows into reading order. Expects them oldest first. */
export function inReadingOrder(rows: readonly InboxRow[]): InboxRow[] {
  return [...rows.filter((row) => row.kind === 'user'), ...rows.filter((row) => row.kind !== 'user')]
}

/** What an idle branch reads next: one message of a person alone, otherwise all results and notes together. */
export function nextRead(items: readonly InboxRow[]): readonly InboxRow[] {
  const first = items[0]
  return first?.kind === 'user' ? [first] : items
}

/** Appends items to their branch as one message and marks them delivered, in one change (invariant D3). */
export function deliverItems(
  change: Change,
  newId: NewId,
  scope: EventScope,
  items: readonly InboxRow[],
): Message {
  const parts = items.map((row) => partOf(newId, row))
  const { branchId } = items[0]!
  const runId = items.every((row) => row.kind === 'user') ? null : scope.runId
  const message = appendMessage(
    change,
    newId,
    { ...scope, branchId },
    { branchId, role: 'user', parts, runId },
  )
  for (const row of items) markDelivered(change, scope, row)
  return message
}

function partOf(newId: NewId, { text, author, report }: InboxRow): SaidPart {
  const id = newId('prt')
  if (report) return { id, type: 'report', text, report }
  return { id, type: 'text', text, ...(author ? { author } : {}) } as SaidPart // older versions stored no author
}

/** Waiting messages come before a new message: each becomes a message of its own, oldest first. */
export function deliverWaiting(
  change: Change,
  newId: NewId,
  scope: EventScope & { readonly branchId: BranchId },
  isDue: (item: InboxRow) => boolean = () => true,
): void {
  for (const item of waitingMessages(change.tx, scope.branchId))
    if (isDue(item)) deliverItems(change, newId, scope, [item])
}

/** For a branch that cannot take messages yet: the new message is read together with all waiting ones, after them. */
export function promoteWaiting(change: Change, scope: EventScope & { readonly branchId: BranchId }): void {
  for (const { id, mode } of waitingMessages(change.tx, scope.branchId))
    if (mode !== 'steer') changeItem(change, scope, id, { mode: 'steer' })
}

function waitingMessages(reader: Reader, branchId: BranchId): InboxRow[] {
  return waitingItems(reader, branchId).filter(({ kind }) => kind === 'user')
}

/** Changes an unread item. @throws OffshootError `conflict` if it was read or withdrawn. */
export function changeItem(
  change: Change,
  scope: EventScope,
  id: InboxItemId,
  to: Partial<Pick<InboxRow, 'text' | 'mode' | 'withdrawnAt'>>,
): InboxRow {
  const row = change.tx.get('inbox', id)!
  if (row.deliveredAt !== null || row.withdrawnAt !== null) throw notWaiting(row)
  change.tx.update('inbox', id, to)
  const next = { ...row, ...to }
  const here = { ...placeOf(change, scope, row), ...about(next) }
  if (next.withdrawnAt === null) change.event({ type: 'inbox.updated', ...here, ...contents(next) })
  else {
    change.event({ type: 'inbox.withdrawn', ...here })
    tellIfEmpty(change, scope, row)
  }
  return next
}

function notWaiting({ id, deliveredAt, withdrawnAt }: InboxRow): OffshootError {
  const what = deliveredAt === null ? 'withdrawn' : 'read'
  const when = new Date(deliveredAt ?? withdrawnAt ?? 0).toISOString()
  return new OffshootError('conflict', `${id} was ${what} ${when} and cannot be changed any more`)
}

function markDelivered(change: Change, scope: EventScope, row: InboxRow): void {
  change.markDelivered(row.id)
  change.event({ type: 'inbox.delivered', ...placeOf(change, scope, row), ...about(row) })
  if (row.fromRunId !== null) {
    const status = change.tx.get('runs', row.fromRunId)!.status
    const delivered = { itemId: row.id, fromRunId: row.fromRunId, toBranchId: row.branchId, status }
    change.event({ type: 'report.delivered', ...scope, branchId: row.branchId, ...delivered })
  }
  tellIfEmpty(change, scope, row)
}

function tellIfEmpty(change: Change, scope: EventScope, row: InboxRow): void {
  const here = placeOf(change, scope, row)
  if (here.count === 0) change.event({ type: 'inbox.empty', ...here })
}

/** The branch of an item, and how many items wait on it. */
function placeOf({ tx }: Change, scope: EventScope, { branchId }: InboxRow) {
  return { ...scope, branchId, count: tx.count('inbox', { branchId, deliveredAt: null, withdrawnAt: null }) }
}

function about({ id: itemId, kind, mode }: InboxRow) {
  return { itemId, kind, mode }
}

function contents({ text, fromRunId, author = null, report = null }: InboxRow) {
  return { text, fromRunId, author, report: report && { ...report } }
}
