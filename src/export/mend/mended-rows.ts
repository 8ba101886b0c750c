import type { ConversationId, MessageId, NewId } from '../../core/ids.ts'
import type { NoticePart } from '../../core/message.ts'
import { state } from '../../core/run-status.ts'
import { noUsage } from '../../core/usage.ts'
import type { Rows, Table, Tx } from '../../store/port.ts'
import { tables, type Kind } from '../../store/tables.ts'
import { lostReport, unreadable, type MendedPart } from './mend-part.ts'
import type { RowAtPlace } from './row-at-place.ts'

type OwnTable = Exclude<Table, 'events' | 'leases' | 'commands' | 'idempotency'>

interface Ports {
  readonly newId: NewId
  readonly now: () => number
}

/** The rows of a conversation while they are fixed. */
export class MendedRows {
  readonly #tx: Tx
  readonly #conversationId: ConversationId
  readonly #ports: Ports
  /** Cleared fields; if that was not enough, the row is removed. */
  readonly #emptied = new Set<string>()
  changes = 0

  constructor(tx: Tx, conversationId: ConversationId, ports: Ports) {
    this.#tx = tx
    this.#conversationId = conversationId
    this.#ports = ports
  }

  update<T extends OwnTable>(table: T, id: string, change: Partial<Rows[T]>): void {
    this.#tx.update(table, id, change)
    this.changes++
  }

  /** Removes a row, keeping rows that can exist without it. */
  remove(table: OwnTable, id: string): void {
    for (const [other, column] of REFERENCES[table] ?? [])
      for (const row of this.#tx.find(other, { where: { [column]: id } as never }))
        this.update(other, (row as { readonly id: string }).id, { [column]: null })
    if (table === 'runs')
      for (const call of this.#tx.find('tool_calls', { where: { runId: id as never } }))
        this.remove('tool_calls', call.id)
    if (this.#tx.delete(table, id)) this.changes++
  }

  replacePart(row: Rows['parts'], { part, lost }: MendedPart): void {
    this.update('parts', row.id, { part })
    if (lost.length === 0) return
    const text = `Lost: ${lost.join(' and ')}, which the part above named.`
    this.#insertBehind(row, { id: this.#ports.newId('prt'), type: 'notice', text, damaged: row.id })
  }

  /** The last trace of a report: its text goes to the end of its branch. */
  giveUpItem({ id, branchId, report, text, deliveredAt }: Rows['inbox']): void {
    this.remove('inbox', id)
    if (deliveredAt !== null || !report) return
    const { newId, now } = this.#ports
    const last = { where: { branchId }, orderBy: 'position', descending: true, limit: 1 } as const
    const position = (this.#tx.find('messages', last)[0]?.position ?? -1) + 1
    const messageId = newId('msg')
    const place = { conversationId: this.#conversationId, branchId, position }
    const about = { role: 'user', state: 'complete', runId: null, usage: null, createdAt: now() } as const
    this.#tx.insert('messages', { id: messageId, ...place, ...about })
    this.#insertPart(messageId, 0, lostReport(newId('prt'), report.agent, text))
  }

  /**
   * Fixes a value that an import refuses: a nullable field is cleared, a time becomes now, a count 0; otherwise the row
   * is removed.
   */
  mend(at: RowAtPlace): void {
    if (at.table === 'rules') return this.#mendRule(at)
    if (at.table === 'parts') return this.#mendPart(at.id)
    const { table, id } = at
    if (!this.#tx.get(table, id)) return // removed for another of its fields
    const field = COLUMNS[at.field] ?? at.field
    const kind = (tables[table].columns as Readonly<Record<string, Kind>>)[field]
    const isFirst = !this.#emptied.has(`${id} ${field}`)
    this.#emptied.add(`${id} ${field}`)
    if (isFirst && table === 'runs' && STATE.has(field))
      return this.update('runs', id, { ...state.paused('restart'), waitingFor: null, finishReason: null })
    if (isFirst && kind?.endsWith('?')) return this.update(table, id, { [field]: null })
    if (isFirst && field.endsWith('At')) return this.update(table, id, { [field]: this.#ports.now() })
    if (isFirst && kind === 'int') return this.update(table, id, { [field]: 0 })
    if (isFirst && table === 'runs' && field === 'usage') return this.update('runs', id, { usage: noUsage })
    if (table === 'messages') return this.#mendMessage(id as MessageId)
    if (table === 'branches' && field === 'kind') return this.update('branches', id, { kind: 'subagent' })
    if (table === 'conversations' && field === 'directory')
      return this.update('conversations', id, { directory: '/directory-not-known' })
    if (table !== 'branches' && table !== 'conversations') this.remove(table, id)
  }

  /** Every conversation needs a main branch: the oldest top-level one, or an empty one. */
  mendMain(): void {
    const conversationId = this.#conversationId
    const branches = this.#tx.find('branches', { where: { conversationId } })
    if (branches.some(({ kind }) => kind === 'main')) return
    const oldest = branches.find(({ parentBranchId }) => parentBranchId === null)
    if (oldest) return this.update('branches', oldest.id, { kind: 'main' })
    const none = { parentBranchId: null, originMessageId: null, originToolCallId: null, outputSchema: null }
    const about = { kind: 'main', inheritContext: false, agent: 'main', label: 'salvaged' } as const
    const [createdAt, updatedAt] = [this.#ports.now(), this.#ports.now()]
    const id = this.#ports.newId('brn')
    this.#tx.insert('branches', { id, conversationId, ...none, ...about, createdAt, updatedAt })
    this.changes++
  }

  /** Restrictions are kept. */
  #mendRule({ branchId, index, field }: RowAtPlace & { readonly table: 'rules' }): void {
    const where = { conversationId: this.#conversationId, branchId, kind: 'restriction' } as const
    const rule = this.#tx.find('rules', { where: where as never })[index]
    if (!rule) return
    if (field === 'action') this.update('rules', rule.id, { action: 'deny' })
    if (field === 'createdAt') this.update('rules', rule.id, { createdAt: this.#ports.now() })
  }

  #mendPart(id: string): void {
    const row = this.#tx.get('parts', id)
    if (row && row.part.type !== 'notice') this.update('parts', id, { part: unreadable(row) })
    else if (row && this.#tx.delete('parts', id)) this.changes++
  }

  /** The author cannot be known: it gets none. */
  #mendMessage(id: MessageId): void {
    this.update('messages', id, { role: 'user', state: 'complete' })
    for (const row of this.#tx.find('parts', { where: { messageId: id } }))
      if (row.part.type !== 'notice') this.update('parts', row.id, { part: unreadable(row) })
  }

  #insertBehind({ messageId, position }: Rows['parts'], notice: NoticePart): void {
    const behind = { where: { messageId }, orderBy: 'position', after: position, descending: true } as const
    for (const row of this.#tx.find('parts', behind))
      this.#tx.update('parts', row.id, { position: row.position + 1 })
    this.#insertPart(messageId, position + 1, notice)
  }

  #insertPart(messageId: MessageId, position: number, part: NoticePart): void {
    this.#tx.insert('parts', { id: part.id, messageId, conversationId: this.#conversationId, position, part })
    this.changes++
  }
}

/** Document fields with another column name. */
const COLUMNS: Readonly<Record<string, string>> = { created: 'createdAt', updated: 'updatedAt', type: 'kind' }
const STATE: ReadonlySet<string> = new Set(['status', 'reason', 'endReason', 'finishReason'])

/** Nullable columns whose reference would otherwise delete the row. */
const REFERENCES: Readonly<Partial<Record<Table, readonly (readonly [OwnTable, string])[]>>> = {
  tool_calls: [
    ['branches', 'originToolCallId'],
    ['runs', 'originCallId'],
  ],
  runs: [
    ['runs', 'parentRunId'],
    ['inbox', 'fromRunId'],
    ['messages', 'runId'],
  ],
}
