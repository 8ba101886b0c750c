import type { DatabaseSync } from 'node:sqlite'
import type { NewId } from '../../../core/ids.ts'
import type { NoticePart } from '../../../core/message.ts'
import type { Row } from '../../engine.ts'
import { sumOf } from '../sums.ts'

const TEXT =
  'Damaged: the text before this line differs from what was stored. It was read from a damaged database, and its checksum does not match.'

/** Replaces a part without any JSON text by a notice with the readable rest. */
export function unparsedPart(id: string, text: string): string {
  const said = `Damaged: this part cannot be read. What is left of it: ${text}`
  return JSON.stringify({ id, type: 'notice', text: said, damaged: id })
}

/** Adds a notice after each altered part, whose text may not be its author's. Returns their number. */
export function markDamaged(db: DatabaseSync, parts: ReadonlySet<string>, newId: NewId): number {
  let marked = 0
  db.exec('BEGIN')
  for (const id of parts) {
    const row = db
      .prepare(
        'SELECT message_id AS messageId, conversation_id AS conversationId, position FROM parts WHERE id = ?',
      )
      .get(id)
    if (!row) continue // dropped with its message
    makeRoom(db, row)
    const notice = { id: newId('prt'), type: 'notice', text: TEXT, damaged: id } as unknown as NoticePart
    const part = JSON.stringify(notice)
    db.prepare(
      'INSERT INTO parts (id, message_id, conversation_id, position, part, sum) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(
      notice.id,
      row['messageId']!,
      row['conversationId']!,
      Number(row['position']) + 1,
      part,
      sumOf(part),
    )
    marked++
  }
  db.exec('COMMIT')
  return marked
}

/** In two steps, because positions must be unique at any time. */
function makeRoom(db: DatabaseSync, { messageId, position }: Row): void {
  const [message, at] = [String(messageId), Number(position)]
  db.prepare('UPDATE parts SET position = -position - 1 WHERE message_id = ? AND position > ?').run(
    message,
    at,
  )
  db.prepare('UPDATE parts SET position = -position WHERE message_id = ? AND position < 0').run(message)
}
