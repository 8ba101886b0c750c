import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sampleRows } from '../conformance/rows.ts'
import { APPLICATION_ID } from './inspect.ts'
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
