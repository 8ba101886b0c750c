import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sampleRows, seed } from '../../src/store/conformance/rows.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { TestUser } from '../support/test-user.ts'

const MINUTES = 60_000

let user: TestUser
beforeEach(() => {
  user = new TestUser({ 'water.js': 'export const water = (plant) => `${plant} is watered`\n' })
})
afterEach(() => user.remove())

/** Says how each `run` has ended that ended badly, and how long all of them took. */
async function runs(count: number): Promise<{ readonly bad: readonly string[]; readonly seconds: number }> {
  const from = performance.now()
  const ended = await Promise.all(
    Array.from({ length: count }, () => user.run(['run', '-m', 'offline', 'Where is a plant watered?'])),
  )
  const bad = ended
    .filter(({ code }) => code !== 0)
    .map(({ code, stderr }) => `${code}: ${stderr.slice(-500)}`)
  return { bad, seconds: Math.round((performance.now() - from) / 1000) }
}

function statuses(): unknown {
  const db = new DatabaseSync(user.database, { readOnly: true })
  const rows = db.prepare('SELECT status, count(*) AS runs FROM runs WHERE depth = 0 GROUP BY status').all()
  db.close()
  return rows.map((row) => ({ ...row }))
}

test('a hundred runs at once on a new store all end well', { timeout: 15 * MINUTES }, async () => {
  const { bad, seconds } = await runs(100)
  process.stdout.write(`100 runs on a new store: ${seconds} s, ${bad.length} ended badly\n`)
  expect(bad).toEqual([])
  expect(statuses()).toEqual([{ status: 'completed', runs: 100 }])
  expect(existsSync(join(user.home, 'backups'))).toBe(false)
})

test('forty runs at once on a large store all end well', { timeout: 15 * MINUTES }, async () => {
  mkdirSync(user.home, { mode: 0o700 })
  const store = await openSqliteStore({ file: user.database })
  const sample = sampleRows()
  const noise = randomBytes(1024 * 1024)
  await store.tx((tx) => seed(tx, sample), { durable: true })
  for (let at = 0; at < 300; at++)
    await store.tx((tx) => tx.insert('artifacts', sample.artifact(`hash ${at}`, noise)), { durable: false })
  await store.close()
  const { bad, seconds } = await runs(40)
  const mib = Math.round(statSync(user.database).size / 1024 ** 2)
  process.stdout.write(`40 runs on a store of ${mib} MiB: ${seconds} s, ${bad.length} ended badly\n`)
  expect(bad).toEqual([])
})
