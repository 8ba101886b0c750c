import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleRows } from '../conformance/rows.ts'
import { backUp } from './back-up.ts'
import { APPLICATION_ID } from './migrate.ts'
import { openSqliteStore } from './open.ts'

let directory = ''
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'offshoot-migrate-'))))
afterEach(() => rmSync(directory, { recursive: true }))

const folder = new URL('../migrations/', import.meta.url)
const migrations = readdirSync(folder).toSorted()

/** A database as the program left it that knew only the first so many migrations. */
function olderDatabase(file: string, version: number): void {
  const db = new DatabaseSync(file)
  for (const name of migrations.slice(0, version)) db.exec(readFileSync(new URL(name, folder), 'utf8'))
  for (let each = 1; each <= version; each++) db.exec(`INSERT INTO schema_version VALUES (${each}, 1)`)
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  db.exec(`PRAGMA user_version = ${version}`)
  const { conversation, branch, run } = sampleRows()
  const { id, directory, title, createdAt, updatedAt } = conversation
  db.prepare(
    'INSERT INTO conversations (id, directory, title, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  ).run(id, directory, title, createdAt, updatedAt)
  db.prepare(
    `INSERT INTO branches (id, conversation_id, kind, inherit_context, agent, label, created_at, updated_at)
     VALUES (?, ?, 'main', 0, 'main', 'main', 1, 1)`,
  ).run(branch.id, id)
  db.prepare(
    `INSERT INTO runs (id, conversation_id, branch_id, depth, agent, model, description, background, status, attempt,
       stop_no, limits, turns, tool_calls, usage, queued_at)
     VALUES (?, ?, ?, 0, 'main', 'm/x', 'a run', 0, 'queued', 1, 0, ?, 1, 1, ?, 3)`,
  ).run(run.id, id, branch.id, JSON.stringify(run.limits), JSON.stringify(run.usage))
  db.close()
}

test.each(migrations.map((_, at) => at + 1))(
  'a database of version %i keeps what it has',
  async (version) => {
    const file = join(directory, 'store.db')
    olderDatabase(file, version)
    const store = await openSqliteStore({ file, now: () => 7 })
    const { conversation, branch, run } = sampleRows()
    expect(store.get('conversations', conversation.id)).toMatchObject({ title: 'A title', budget: null })
    expect(store.get('runs', run.id)).toMatchObject({ limits: run.limits, usage: run.usage, setup: null })
    await store.tx(
      (tx) => {
        tx.update('conversations', conversation.id, { budget: conversation.budget! })
        tx.update('runs', run.id, { setup: run.setup! })
      },
      { durable: true },
    )
    expect(store.get('conversations', conversation.id)!.budget).toEqual(conversation.budget)
    expect(store.get('runs', run.id)!.setup).toEqual(run.setup)
    expect(store.get('branches', branch.id)).toMatchObject({ label: 'main' })
    await store.close()
  },
)

test('what was asked before it had numbers has those of its order', async () => {
  const file = join(directory, 'store.db')
  olderDatabase(file, migrations.indexOf('0011_ask_numbers.sql'))
  const { conversation, branch, run } = sampleRows()
  const db = new DatabaseSync(file)
  const place = [conversation.id, branch.id, run.id, 'cal_1'] as const
  db.exec('PRAGMA foreign_keys = OFF')
  db.prepare(
    `INSERT INTO tool_calls (id, conversation_id, branch_id, run_id, message_id, part_id, tool, title, status, repeatable,
       started_at) VALUES ('cal_1', ?, ?, ?, 'm', 'p', 'bash', 'x', 'running', 0, 1)`,
  ).run(...place.slice(0, 3))
  for (const id of ['apr_0002', 'apr_0004'])
    db.prepare(
      `INSERT INTO approvals (id, conversation_id, branch_id, run_id, call_id, tool, title, detail, directory, path, rule,
         requested_at) VALUES (?, ?, ?, ?, ?, 'bash', 'x', 'x', '/', '[]', 'r', 1)`,
    ).run(id, ...place)
  for (const id of ['que_0001', 'que_0003'])
    db.prepare(
      `INSERT INTO questions (id, conversation_id, branch_id, run_id, call_id, question, options, path, asked_at)
       VALUES (?, ?, ?, ?, ?, 'q', '[]', '[]', 1)`,
    ).run(id, ...place)
  db.close()
  const store = await openSqliteStore({ file, now: () => 7 })
  const numbers = [...store.find('approvals', {}), ...store.find('questions', {})].map(({ id, number }) => [
    id,
    number,
  ])
  expect(Object.fromEntries(numbers)).toEqual({ que_0001: 1, apr_0002: 2, que_0003: 3, apr_0004: 4 })
  await store.close()
})

describe('the backup before a migration', () => {
  const file = () => join(directory, 'store.db')
  const backups = () => readdirSync(join(directory, 'backups')).toSorted()

  async function bringUp(now: number): Promise<void> {
    rmSync(file(), { force: true })
    olderDatabase(file(), 2)
    await (await openSqliteStore({ file: file(), now: () => now })).close()
  }

  test('holds what was there, for its owner only', async () => {
    await bringUp(0)
    const [name] = backups()
    const path = join(directory, 'backups', name!)
    expect(name).toMatch(/^store\.db-19700101T000000000Z-version-2-/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(directory, 'backups')).mode & 0o777).toBe(0o700)
    const db = new DatabaseSync(path, { readOnly: true })
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 })
    expect(db.prepare('PRAGMA application_id').get()).toEqual({ application_id: APPLICATION_ID })
    expect(db.prepare('SELECT count(*) AS rows FROM runs').get()).toEqual({ rows: 1 })
    db.close()
  })

  test('is kept three times, and others are let alone', async () => {
    mkdirSync(join(directory, 'backups'))
    olderDatabase(join(directory, 'backups', 'mine.db'), 1)
    for (let now = 1; now <= 5; now++) await bringUp(now)
    expect(backups()).toEqual([
      'mine.db',
      ...[3, 4, 5].map((now) => expect.stringContaining(`00000${now}Z`) as string),
    ])
  })

  describe('of a migration that fails', () => {
    const versions = [5, 6, 7].map((now) => `store.db-19700101T00000000${now}Z-version-1-1`)

    /** Three good copies, and a store that cannot be brought up to date. */
    async function refused(sql: string, make = () => olderDatabase(file(), 4)): Promise<unknown> {
      mkdirSync(join(directory, 'backups'))
      for (const name of versions) writeFileSync(join(directory, 'backups', name), 'a good copy')
      make()
      const db = new DatabaseSync(file())
      db.exec(sql)
      db.close()
      const errors: unknown[] = []
      for (const now of [10, 11, 12, 13])
        await openSqliteStore({ file: file(), now: () => now }).catch((error: unknown) => errors.push(error))
      expect(errors).toHaveLength(4)
      expect(backups()).toEqual(versions)
      return errors[0]
    }

    test('does not stay where a column is missing, and the good ones are kept', async () => {
      const error = await refused('ALTER TABLE runs DROP COLUMN description')
      expect(error).toMatchObject({ code: 'store_corrupt' })
    })

    test('does not stay where an early database lacks more than its changes explain', async () => {
      const stored = new URL('../../../test/old-stores/stores/07-of-first.db.zst', import.meta.url)
      const make = () => writeFileSync(file(), zstdDecompressSync(readFileSync(stored)))
      const error = await refused('ALTER TABLE runs DROP COLUMN description', make)
      expect(error).toMatchObject({ code: 'store_corrupt' })
    })

    test('does not stay where a statement fails, and the good ones are kept', async () => {
      const error = await refused('CREATE TABLE idempotency (x)')
      expect((error as Error).message).toContain('idempotency')
    })
  })

  test('is not pushed out by those of programs that were killed while they migrated', async () => {
    mkdirSync(join(directory, 'backups'))
    const good = 'store.db-19700101T000000001Z-version-1-1'
    writeFileSync(join(directory, 'backups', good), 'a good copy')
    olderDatabase(file(), 2)
    for (let now = 2; now < 12; now++) backUp(file(), 2, now)
    expect(backups()).toHaveLength(5)
    expect(backups()).toContain(good)
    await (await openSqliteStore({ file: file(), now: () => 12 })).close()
    expect(backups()).toHaveLength(3)
  })

  test('is not made of a new store, nor of one that is up to date', async () => {
    for (const now of [1, 2]) await (await openSqliteStore({ file: file(), now: () => now })).close()
    expect(readdirSync(directory)).toEqual(['store.db'])
  })
})
