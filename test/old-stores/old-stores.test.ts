import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { documentText } from '../../src/export/document-text.ts'
import { countedIds } from '../../src/export/fixtures/conversations.ts'
import { exportConversation } from '../../src/export/export-conversation.ts'
import { importConversation } from '../../src/export/import-conversation.ts'
import { parseExport } from '../../src/export/parse-export.ts'
import { readEvents } from '../../src/runtime/log/stored-events.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import { SCHEMA_VERSION } from '../../src/store/sqlite/migrate.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'

const STORES = join(import.meta.dirname, 'stores')
const names = readdirSync(STORES).map((name) => name.replace(/\.db\.zst$/, ''))

let directory = ''
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'offshoot-old-stores-'))))
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(directory, { recursive: true })
})

function unpacked(name: string): string {
  const file = join(directory, 'offshoot.db')
  writeFileSync(file, zstdDecompressSync(readFileSync(join(STORES, `${name}.db.zst`))))
  return file
}

/** What a command that opens the store and `export` say of it. */
async function exported(file: string): Promise<string[]> {
  const store = await openSqliteStore({ file, now: () => 7 })
  try {
    return store.find('conversations', {}).map(({ id }) => {
      const text = documentText(exportConversation(store, id))
      expect(readEvents(store, id, 0).at(-1)?.seq).toBe((JSON.parse(text) as { seq: number }).seq)
      return text
    })
  } finally {
    await store.close()
  }
}

/** Tables with their columns and references, and indices; not the texts that made them. */
function schemaOf(file: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true })
  const list = (sql: string) => db.prepare(sql).all()
  const schema = [
    list(`SELECT t.name AS "table", t.wr, t.strict, c.name, c.type, c."notnull", c.pk
      FROM pragma_table_list AS t, pragma_table_info(t.name) AS c WHERE t.schema = 'main' ORDER BY 1, c.cid`),
    list(`SELECT t.name AS "table", f."from", f."table" AS "to", f.on_delete
      FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f WHERE t.schema = 'main' ORDER BY 1, 2`),
    list("SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name"),
  ]
  db.close()
  return schema
}

function expectSound(file: string): void {
  const db = new DatabaseSync(file, { readOnly: true })
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  db.close()
}

test('there is a store of every version that a program has had, and of the present one', () => {
  // versions 2, 3, 5 and 10 were never the last of a commit; 1 had three texts
  const past = [
    '01',
    '01-events-by-row-id',
    '01-first',
    '04',
    '06',
    '07',
    '07-of-first',
    '08',
    '09',
    '11',
    '12',
    '13',
    '14',
    '15',
  ]
  const present = String(SCHEMA_VERSION).padStart(2, '0')
  expect(names.toSorted()).toEqual([...past, present])
})

describe.each(names)('the store %s', (name) => {
  test('opens, has the schema of a new store, and is exported', async () => {
    const file = unpacked(name)
    const documents = await exported(file)
    expect(documents).toHaveLength(4)
    expect(documents.join('\n')).toContain('Where is a plant watered?')
    expect(documents.join('\n')).toContain('It is in water.js, line 2.')
    const fresh = join(directory, 'new.db')
    await (await openSqliteStore({ file: fresh })).close()
    expect(schemaOf(file)).toEqual(schemaOf(fresh))
    expectSound(file)
    expect(await exported(file)).toEqual(documents)
  })

  test('keeps what it says when it is imported elsewhere', async () => {
    const store = createMemoryStore()
    for (const text of await exported(unpacked(name))) {
      const document = parseExport(text)
      const id = await importConversation(store, document, countedIds(0))
      expect(exportConversation(store, id).messages).toEqual(document.messages)
    }
  })

  test('is brought up to date by the next program, at whatever commit the first one is killed', async () => {
    const file = unpacked(name)
    const left = leavesAtEachCommit(file)
    const documents = await exported(file)
    vi.restoreAllMocks()
    for (const each of left) {
      expect(await exported(each)).toEqual(documents)
      expectSound(each)
    }
    if (Number(name.slice(0, 2)) < SCHEMA_VERSION) expect(left.length).toBeGreaterThan(1)
  })
})

/** Copies of the files as SIGKILL leaves them before and after each commit, without those that are equal. */
function leavesAtEachCommit(file: string): readonly string[] {
  const left: string[] = []
  const seen = new Set<string>()
  const leave = () => {
    const content = ['', '-wal'].map((end) =>
      existsSync(file + end) ? readFileSync(file + end) : Buffer.of(),
    )
    const key = Buffer.concat(content).toString('base64')
    if (seen.has(key)) return
    seen.add(key)
    const copy = join(directory, `left-${left.length}.db`)
    for (const end of ['', '-wal', '-shm']) if (existsSync(file + end)) copyFileSync(file + end, copy + end)
    left.push(copy)
  }
  const exec = DatabaseSync.prototype.exec
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    const isCommit = sql === 'COMMIT' && this.location() === file
    if (isCommit) leave()
    exec.call(this, sql)
    if (isCommit) leave()
  })
  return left
}
