import { nextConversationNumber } from '../runtime/log/new-number.ts'
import { newRuleId } from '../runtime/log/new-id.ts'
import type { Branch } from '../core/conversation.ts'
import { OffshootError } from '../core/errors.ts'
import type { OffshootEvent } from '../core/events.ts'
import { idPrefix, type BranchId, type ConversationId, type IdPrefix, type NewId } from '../core/ids.ts'
import type { Reader, Rows, RuleRow, Store, Table, Tx } from '../store/port.ts'
import { packEvents } from '../runtime/log/stored-events.ts'
import { documentRows, type DocumentRows } from './document-rows.ts'
import { branchesOf, type ExportDocument, type ExportedMain, type ExportedRule } from './document.ts'
import { presentRows } from './older/present-rows.ts'
import { idsOf, renameIds } from './rename-ids.ts'
import { settle } from './settle-imported-runs.ts'

/**
 * Writes a document from `parseExport` in one transaction, and returns the conversation's id. Keeps its ids, or renames
 * all if one is taken. Active runs arrive paused (`settle`). @throws OffshootError `usage` for a value that cannot be
 * stored, or a store error; then nothing is written.
 */
export async function importConversation(
  store: Store,
  document: ExportDocument,
  newId: NewId,
): Promise<ConversationId> {
  const named = document.main ? document : { ...document, main: newMain(document, newId) }
  const rows = settle(presentRows(documentRows(named), document.version))
  const write = (tx: Tx) => {
    const free = isFree(tx, rows) ? rows : renameIds(rows, newId)
    insertRows(tx, free)
    insertRestrictions(tx, named, free, newId)
    if (document.seq) tx.insert('events', importedEvent(free.conversations[0], document.seq))
    return free.conversations[0].id
  }
  return await store.tx(write, { durable: true }).catch((error: unknown) => {
    throw error instanceof RangeError ? tooDeep(error) : error
  })
}

/** The document has no events: this one replaces them, so that the next continues after their last `seq`. */
function importedEvent({ id, title, updatedAt }: Rows['conversations'], seq: number): Rows['events'] {
  const place = { conversationId: id, branchId: null, runId: null, parentRunId: null, depth: 0 }
  const event: OffshootEvent = { type: 'conversation.updated', ...place, seq, at: updatedAt, title }
  return { conversationId: id, seq, events: packEvents([event]) }
}

/** JSON nested thousands of levels deep can be parsed, but not written. */
function tooDeep(cause: RangeError): OffshootError {
  return new OffshootError('usage', 'the export is damaged: a value in it is nested too deeply', { cause })
}

/** For a document with only messages for its main branch. */
function newMain({ created, updated }: ExportDocument, newId: NewId): ExportedMain {
  const metadata = { runs: [] }
  return { id: newId('brn'), type: 'main', inheritContext: false, created, updated, metadata }
}

const TABLE_OF: Readonly<Partial<Record<IdPrefix, Exclude<Table, 'events'>>>> = {
  cnv: 'conversations',
  brn: 'branches',
  msg: 'messages',
  prt: 'parts',
  run: 'runs',
  cal: 'tool_calls',
  apr: 'approvals',
  que: 'questions',
  inb: 'inbox',
  art: 'artifacts',
}

function isFree(reader: Reader, rows: DocumentRows): boolean {
  for (const id of idsOf(rows)) if (reader.get(TABLE_OF[idPrefix(id)!]!, id)) return false
  return true
}

/** Branches, runs and calls have circular references, which are set once all rows are inserted. */
function insertRows(tx: Tx, rows: DocumentRows): void {
  tx.insert('conversations', { ...rows.conversations[0], number: nextConversationNumber(tx) })
  const noOrigin = { parentBranchId: null, originMessageId: null, originToolCallId: null }
  for (const [number, branch] of inOrder(rows.branches).entries())
    tx.insert('branches', { ...branch, ...noOrigin, number })
  const noReference = { parentRunId: null, originCallId: null, reportMessageId: null }
  for (const run of rows.runs) tx.insert('runs', { ...run, ...noReference })
  insertAll(tx, 'messages', rows.messages)
  insertAll(tx, 'parts', rows.parts)
  insertAll(tx, 'tool_calls', rows.tool_calls)
  insertAll(tx, 'approvals', rows.approvals)
  insertAll(tx, 'questions', rows.questions)
  insertAll(tx, 'inbox', rows.inbox)
  insertAll(tx, 'todos', rows.todos)
  insertAll(tx, 'artifacts', rows.artifacts)
  for (const { id, parentBranchId, originMessageId, originToolCallId } of rows.branches) {
    if (parentBranchId ?? originMessageId ?? originToolCallId)
      tx.update('branches', id, { parentBranchId, originMessageId, originToolCallId })
  }
  for (const { id, parentRunId, originCallId, reportMessageId } of rows.runs) {
    if (parentRunId ?? originCallId ?? reportMessageId)
      tx.update('runs', id, { parentRunId, originCallId, reportMessageId })
  }
}

/** The main branch, and the others by id, which is their time. */
function inOrder(branches: readonly Branch[]): readonly Branch[] {
  return branches.toSorted(
    (a, b) => Number(b.kind === 'main') - Number(a.kind === 'main') || (a.id < b.id ? -1 : 1),
  )
}

function insertAll<T extends Table>(tx: Tx, table: T, rows: readonly Rows[T][]): void {
  for (const row of rows) tx.insert(table, row)
}

/** A document has no ids of rules; the branches of `rows` are in document order. */
function insertRestrictions(tx: Tx, document: ExportDocument, rows: DocumentRows, newId: NewId): void {
  const conversationId = rows.conversations[0].id
  const insert = (branchId: BranchId | null, rules: readonly ExportedRule[] = []) => {
    for (const { tool, pattern, action, createdAt } of rules) {
      const rule: RuleRow = {
        id: newRuleId(newId),
        conversationId,
        branchId,
        kind: 'restriction',
        tool,
        pattern,
        action,
        createdAt,
      }
      tx.insert('rules', rule)
    }
  }
  insert(null, document.restrictions)
  let index = 0
  for (const { branch } of branchesOf(document))
    insert(rows.branches[index++]!.id, branch?.metadata.restrictions)
}
