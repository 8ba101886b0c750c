import { DatabaseSync } from 'node:sqlite'
import type { ConversationId } from '../../core/ids.ts'
import { shapes, type Shape } from '../engine.ts'
import { asStoreError } from './sqlite-errors.ts'
import { storeSize } from './read-only-store.ts'
import { columnName } from './statements.ts'

/** Approximate size of each conversation in bytes. Reads the whole store. */
export function conversationBytes(file: string): Map<ConversationId, number> {
  return withDatabase(file, true, (db) => {
    const sums = Object.values(shapes()).filter(({ columns }) => 'conversationId' in columns)
    const rows = db
      .prepare(`SELECT id, sum(bytes) AS bytes FROM (${sums.map(sumOf).join(' UNION ALL ')}) GROUP BY id`)
      .all()
    return new Map(rows.map(({ id, bytes }) => [id as ConversationId, bytes as number]))
  })
}

/** Overhead per row for its header and index keys: about 100 bytes, as measured. */
const ROW_BYTES = 100

function sumOf({ table, names }: Shape): string {
  const bytes = names.map((name) => `coalesce(octet_length(${columnName(name)}), 0)`).join(' + ')
  return `SELECT conversation_id AS id, sum(${bytes} + ${ROW_BYTES}) AS bytes FROM ${table} GROUP BY conversation_id`
}

/**
 * Returns the space of deleted rows to the disk; returns the number of bytes. Needs the same space again meanwhile.
 * @throws OffshootError `store_locked` while another process writes or reads, `store_full`: then the space is reused.
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
