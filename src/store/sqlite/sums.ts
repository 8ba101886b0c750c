import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { shapes } from '../engine.ts'
import { crc32 } from 'node:zlib'
import { corrupt } from './sqlite-errors.ts'
import { columnName, SUM } from './statements.ts'

/** Checksum stored beside a text, to detect changes. */
export function sumOf(text: SQLInputValue): number {
  return crc32(typeof text === 'string' ? text : '')
}

/** Whether a text is unchanged; a text of an older program has no checksum and is accepted. */
export function isAsStored(text: unknown, sum: unknown): boolean {
  return typeof text !== 'string' || typeof sum !== 'number' || crc32(text) === sum
}

/**
 * Reads everything with a checksum, about 1 ms per megabyte. @throws OffshootError `store_corrupt` for an altered text.
 */
export function checkSums(db: DatabaseSync, file: string): void {
  for (const { table, summed } of Object.values(shapes())) {
    if (summed === undefined) continue
    const rows = db.prepare(`SELECT id, ${columnName(summed)}, ${SUM} FROM ${table}`, { returnArrays: true })
    for (const [id, text, sum] of rows.iterate() as Iterable<readonly unknown[]>)
      if (!isAsStored(text, sum))
        throw corrupt(file, `the text of ${String(id)} is not the text that was stored`)
  }
}
