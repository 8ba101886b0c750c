import { DatabaseSync } from 'node:sqlite'
import type { ConversationId } from '../../core/ids.ts'
import { shapes, type Shape } from '../engine.ts'
import { asStoreError } from './sqlite-errors.ts'
import { storeSize } from './read-only-store.ts'
import { columnName } from './statements.ts'

/** About how many bytes of the store each conversation takes. Reads all of it. */
export function conversationBytes(file: string): Map<ConversationId, number> {
  return withDatabase(file, true, (db) => {
    const sums = Object.values(shapes()).filter(({ columns }) => 'conversationId' in columns)
    const rows = db
      .prepare(`SELECT id, sum(bytes) AS bytes FROM (${sums.map(sumOf).join(' UNION ALL ')}) GROUP BY id`)
      .all()
    return new Map(rows.map(({ id, bytes }) => [id as ConversationId, bytes as number]))
  })
}

/** Keys stand in indices a second time, and a row has a head: measured, some 100 bytes beside the values. */
const ROW_BYTES = 100

function sumOf({ table, names }: Shape): string {
  const bytes = names.map((name) => `coalesce(octet_length(${columnName(name)}), 0)`).join(' + ')
  return `SELECT conversation_id AS id, sum(${bytes} + ${ROW_BYTES}) AS bytes FROM ${table} GROUP BY conversation_id`
}

/**
 * Gives the room of what was deleted back to the disk; returns how many bytes. It takes as much room again meanwhile.
 * @throws OffshootError `store_locked` while another process writes or reads, `store_full`: then the room is used again.
 */
export function compactFile(file: string): number {
  const before = storeSize(file)
  withDatabase(file, false, (db) => db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'))
  const after = storeSize(file)
  return Math.max(0, before.bytes + before.logBytes - after.bytes - after.logBytes)
}

function withDatabase<T>(file: string, readOnly: boolean, work: (db: DatabaseSync) => T): T {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, { readOnly, timeout: BUSY_MS })
    return work(db)
  } catch (error) {
    throw asStoreError(error, file)
  } finally {
    db?.close()
  }
}

const BUSY_MS = 1_000
