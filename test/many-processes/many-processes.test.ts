import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { manyWriters } from './many-writers.ts'

/** On a busy machine twenty starts take their time. */
const LONG = { timeout: 120_000 }

let directory = ''
let file = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'offshoot-many-'))
  file = join(directory, 'offshoot.db')
})
afterEach(() => rmSync(directory, { recursive: true }))

function rowsOf(sql: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true })
  const [row] = db.prepare(sql).all()
  db.close()
  return row
}

test('twenty processes that find an old store bring it up to date once, with one backup', LONG, async () => {
  const old = join(import.meta.dirname, '../old-stores/stores/04.db.zst')
  writeFileSync(file, zstdDecompressSync(readFileSync(old)))
  await manyWriters(file, 20)
  expect(rowsOf('SELECT count(*) AS n FROM conversations')).toEqual({ n: 4 + 20 })
  expect(readdirSync(join(directory, 'backups'))).toEqual([expect.stringMatching(/-version-4-/)])
})
