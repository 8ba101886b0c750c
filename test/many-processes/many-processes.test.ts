import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { programFiles } from '../support/program-files.ts'
import { SCHEMA_VERSION } from '../../src/store/sqlite/migrate.ts'

const PROCESSES = 40
const TRANSACTIONS = 10
/** On a busy machine forty starts take their time. */
const LONG = { timeout: 120_000 }

let directory = ''
let file = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'offshoot-many-'))
  file = join(directory, 'offshoot.db')
})
afterEach(() => rmSync(directory, { recursive: true }))

/** The longest transaction of each process in milliseconds, once all have ended; expects that each ends well. */
async function manyWriters(processes = PROCESSES): Promise<readonly number[]> {
  const writer = join(import.meta.dirname, 'writer.ts')
  const env = { ...process.env, NODE_COMPILE_CACHE: programFiles().compiled }
  const ended = await Promise.allSettled(
    Array.from({ length: processes }, (_, number) =>
      promisify(execFile)(process.execPath, [writer, file, String(TRANSACTIONS), String(number)], { env }),
    ),
  )
  const failures = ended.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))
  expect(failures.map((text) => /OffshootError: .*|Error: .*/.exec(text)?.[0] ?? text)).toEqual([])
  return ended.flatMap((each) => (each.status === 'fulfilled' ? [Number(each.value.stdout)] : []))
}

function rowsOf(sql: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true })
  const [row] = db.prepare(sql).all()
  db.close()
  return row
}

test('forty processes make one store and write to it', LONG, async () => {
  const longest = await manyWriters()
  expect(readdirSync(directory)).not.toContain('offshoot.db-turns')
  expect(longest).toHaveLength(PROCESSES)
  expect(rowsOf('SELECT count(*) AS n FROM conversations')).toEqual({ n: PROCESSES })
  expect(rowsOf('SELECT count(*) AS n FROM messages')).toEqual({ n: PROCESSES * TRANSACTIONS })
  expect(rowsOf('SELECT count(*) AS n FROM schema_version')).toEqual({ n: SCHEMA_VERSION })
  expect(rowsOf('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
  // no version but the present one was ever there to be seen
  expect(existsSync(join(directory, 'backups'))).toBe(false)
  expect(Math.max(...longest)).toBeLessThan(20_000)
})

test('twenty processes that find an old store bring it up to date once, with one backup', LONG, async () => {
  const old = join(import.meta.dirname, '../old-stores/stores/04.db.zst')
  writeFileSync(file, zstdDecompressSync(readFileSync(old)))
  await manyWriters(20)
  expect(rowsOf('SELECT count(*) AS n FROM conversations')).toEqual({ n: 4 + 20 })
  expect(readdirSync(join(directory, 'backups'))).toEqual([expect.stringMatching(/-version-4-/)])
})
