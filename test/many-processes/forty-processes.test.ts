import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SCHEMA_VERSION } from '../../src/store/sqlite/migrate.ts'
import { manyWriters, TRANSACTIONS } from './many-writers.ts'

const PROCESSES = 40
/** On a busy machine forty starts take their time. */
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

test('forty processes make one store and write to it', LONG, async () => {
  const longest = await manyWriters(file, PROCESSES)
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
