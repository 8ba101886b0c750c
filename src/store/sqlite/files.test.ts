import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ErrorCode, OffshootError } from '../../core/errors.ts'
import { sampleRows, seed } from '../conformance/rows.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from './migrate.ts'
import { openSqliteStore } from './open.ts'

let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'offshoot-files-'))
  file = join(directory, 'store.db')
})
afterEach(() => {
  rmSync(directory, { recursive: true })
})

const open = (path = file) => openSqliteStore({ file: path, now: () => 0, busyTimeoutMs: 20 })

test('a new file and its directory are for their owner only', async () => {
  const path = join(directory, 'a', 'b', 'store.db')
  const store = await open(path)
  await store.tx((tx) => seed(tx, sampleRows()), { durable: true })
  for (const name of ['store.db', 'store.db-wal', 'store.db-shm', 'store.db-trace']) {
    expect(statSync(join(directory, 'a', 'b', name)).mode & 0o777).toBe(0o600)
  }
  expect(statSync(join(directory, 'a', 'b')).mode & 0o777).toBe(0o700)
  await store.close()
  expect(readdirSync(join(directory, 'a', 'b'))).toEqual(['store.db', 'store.db-trace'])
})

test('an empty file becomes a database, an existing one keeps what it has', async () => {
  writeFileSync(file, '')
  await filled(file)
  const store = await open()
  expect(store.count('messages', {})).toBe(200)
  await store.close()
})

test('a database of a newer program', async () => {
  await filled(file)
  alter('PRAGMA user_version = 99')
  expect(await refusal()).toEqual(
    refusedWith('store_newer', /newer offshoot \(version 99; this program knows up to \d+\)$/),
  )
})

test('a newer database whose version still stands in the log', async () => {
  const db = await unclean()
  db.exec('PRAGMA user_version = 99')
  copyCrashed()
  db.close()
  expect(await refusal()).toEqual(refusedWith('store_newer', /version 99/))
})

test('a database whose first page a process had written when it died is made anew, and is known to be ours', async () => {
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  db.close()
  writeFileSync(`${file}-journal`, journalOfNothing())
  const store = await open()
  await store.tx((tx) => seed(tx, sampleRows()), { durable: true })
  for (const suffix of ['', '-wal']) copyFileSync(`${file}${suffix}`, join(directory, `left.db${suffix}`))
  await store.close()
  const left = await open(join(directory, 'left.db'))
  expect(left.count('conversations', {})).toBeGreaterThan(0)
  await left.close()
})

/** Of a transaction that was not over: before it the file had no pages (sqlite.org/fileformat2.html#the_rollback_journal). */
function journalOfNothing(): Buffer {
  const journal = Buffer.alloc(512)
  Buffer.from('d9d505f920a163d7', 'hex').copy(journal)
  journal.writeUInt32BE(512, 20)
  journal.writeUInt32BE(4096, 24)
  return journal
}

test('a database of another program', async () => {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE conversations (id)')
  db.close()
  expect(await refusal()).toEqual(
    refusedWith('store_foreign', /is not an Offshoot database: it is a database of another program$/),
  )
})

test.each([
  ['text', Buffer.from('{"some": "other file"}\n'.repeat(100))],
  ['one byte', Buffer.from('x')],
  ['zeros', Buffer.alloc(8192)],
])('a file that is no database: %s', async (_, content) => {
  writeFileSync(file, content)
  expect(await refusal()).toEqual(
    refusedWith('store_foreign', /is not an Offshoot database: it is not a SQLite database/),
  )
})

test('a directory in place of the file', async () => {
  mkdirSync(file)
  await expect(open()).rejects.toMatchObject({ code: 'store_foreign' })
})

test('a file in place of the directory', async () => {
  writeFileSync(file, 'x')
  await expect(open(join(file, 'store.db'))).rejects.toMatchObject({ code: 'store_readonly' })
})

test('a link to a database is followed', async () => {
  await filled(file)
  symlinkSync(file, join(directory, 'link.db'))
  const store = await open(join(directory, 'link.db'))
  expect(store.count('messages', {})).toBe(200)
  await store.close()
})

test.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
  ['an overwritten header', (bytes) => bytes.fill(0x55, 0, 32), /its header is overwritten$/],
  ['an overwritten first page', (bytes) => bytes.fill(0x55, 0, 4096), /its header is overwritten$/],
  ['a truncated header', (bytes) => bytes.subarray(0, 60), /it ends within its header$/],
  ['a truncated file', (bytes) => bytes.subarray(0, bytes.length / 2), /malformed|is damaged/],
  ['a zeroed page', (bytes) => bytes.fill(0, bytes.length - 3 * 4096, bytes.length - 2 * 4096), /is damaged/],
  ['an overwritten schema', (bytes) => bytes.fill(0xff, 100, 4096), /is damaged/],
  ['an impossible page size', (bytes) => (bytes.writeUInt16BE(77, 16), bytes), /is damaged/],
])('a damaged database: %s', async (_, damage, message) => {
  await filled(file)
  writeFileSync(file, damage(readFileSync(file)))
  expect(await refusal()).toEqual(refusedWith('store_corrupt', message))
})

test('a missing table', async () => {
  await filled(file)
  alter('PRAGMA foreign_keys = OFF; DROP TABLE todos')
  expect(await refusal()).toEqual(refusedWith('store_corrupt', /it lacks the table todos$/))
})

test('a missing column', async () => {
  await filled(file)
  alter('ALTER TABLE runs RENAME COLUMN turns TO rounds')
  expect(await refusal()).toEqual(refusedWith('store_corrupt', /its table runs lacks the column turns$/))
})

test('a database cut off while its log holds data keeps both', async () => {
  const db = await unclean()
  db.exec("UPDATE conversations SET title = 'only in the log'")
  copyCrashed()
  db.close()
  truncateSync(file, 0)
  expect(await refusal()).toEqual(refusedWith('store_corrupt', /it is empty, but has a log beside it$/))
})

test('a zeroed page under a log that is not empty keeps both', async () => {
  const db = await unclean()
  db.exec("UPDATE conversations SET title = 'only in the log'")
  copyCrashed()
  db.close()
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0, 5 * 4096, 9 * 4096))
  expect(await refusal()).toEqual(refusedWith('store_corrupt', /is damaged/))
})

test('a page that is damaged later is one clear error of the read', async () => {
  await filled(file)
  alter("UPDATE parts SET part = '{\"broken'")
  const store = await open()
  expect(() => store.find('parts', {})).toThrow(expect.objectContaining({ code: 'store_corrupt' }))
  expect(store.count('parts', {})).toBe(200)
  await expect(store.tx((tx) => tx.find('parts', {}), { durable: true })).rejects.toMatchObject({
    code: 'store_corrupt',
  })
  await store.close()
})

test('artifact bytes that cannot be unpacked are one clear error of the read', async () => {
  await filled(file)
  alter("UPDATE artifacts SET content = x'00112233'")
  const store = await open()
  expect(() => store.find('artifacts', {})).toThrow(expect.objectContaining({ code: 'store_corrupt' }))
  await store.close()
})

test('a torn end of the log is dropped, what was committed before it stays', async () => {
  const db = await unclean()
  db.exec("UPDATE conversations SET title = 'first'")
  const whole = statSync(`${crashed()}-wal`).size
  db.exec("UPDATE conversations SET title = 'second'")
  copyCrashed()
  db.close()
  truncateSync(`${file}-wal`, whole + 100)
  const store = await open()
  expect(store.find('conversations', {}).map(({ title }) => title)).toEqual(['first'])
  expect(store.count('messages', {})).toBe(200)
  await store.close()
})

test('a database that another program keeps to itself', async () => {
  await filled(file)
  const other = new DatabaseSync(file)
  other.exec(
    'PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; UPDATE conversations SET title = title; COMMIT',
  )
  await expect(open()).rejects.toMatchObject({
    code: 'store_locked',
    hint: expect.stringContaining('Try again') as string,
  })
  other.close()
  await (await open()).close()
})

test('a file without the right to write, a directory without it, and a directory that cannot be made', async () => {
  await filled(file)
  const path = join(directory, 'locked', 'store.db')
  mkdirSync(join(directory, 'locked'))
  copyFileSync(file, path)
  chmodSync(directory, 0o755)
  chmodSync(join(directory, 'locked'), 0o555)
  chmodSync(path, 0o666)
  chmodSync(file, 0o444)
  const readable = readFileSync(file)
  expect(await openAsNobody(file)).toMatch(/^store_readonly .* cannot be written: EACCES/)
  expect(await openAsNobody(path)).toMatch(/^store_readonly .* cannot be written: EACCES/)
  expect(await openAsNobody(join(directory, 'locked', 'new', 'store.db'))).toMatch(/^store_readonly /)
  chmodSync(file, 0o000)
  expect(await openAsNobody(file)).toMatch(/^store_readonly /)
  chmodSync(file, 0o444)
  expect(readFileSync(file).equals(readable)).toBe(true)
  chmodSync(join(directory, 'locked'), 0o755)
})

test('processes that make the same database at once all get it', async () => {
  const opened = await Promise.all([1, 2, 3, 4].map(() => inChild(`await open(${JSON.stringify(file)})`)))
  expect(opened).toEqual(['open', 'open', 'open', 'open'])
  const db = new DatabaseSync(file)
  expect(db.prepare('SELECT version FROM schema_version').all()).toHaveLength(SCHEMA_VERSION)
  db.close()
})

/** How opening fails, and whether it left every file as it was. The shared-memory index beside a log is no data. */
async function refusal(): Promise<object> {
  const before = contents()
  const error = (await open().catch((reason: unknown) => reason)) as OffshootError
  expect(error.message).toContain(file)
  expect(error.message).not.toContain('\n')
  expect(contents()).toEqual(before)
  return { name: error.name, code: error.code, message: error.message, hint: error.hint }
}

function refusedWith(code: ErrorCode, message: RegExp): object {
  const text = {
    message: expect.stringMatching(message) as string,
    hint: expect.stringMatching(/.\.$/) as string,
  }
  return { name: 'OffshootError', code, ...text }
}

function contents(): Record<string, string> {
  const names = readdirSync(directory).filter((name) => name.startsWith('store.db') && !name.endsWith('-shm'))
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(join(directory, name)).toString('base64')]),
  )
}

async function filled(path: string): Promise<void> {
  const store = await open(path)
  const sample = sampleRows()
  await store.tx(
    (tx) => {
      seed(tx, sample)
      tx.insert('artifacts', sample.artifact('hash', new Uint8Array(1000)))
      for (let position = 0; position < 200; position++) {
        const message = sample.message(position)
        tx.insert('messages', message)
        tx.insert('parts', sample.part(message.id, 0, `text ${position} `.repeat(50)))
      }
    },
    { durable: true },
  )
  await store.close()
}

function alter(sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

/** A database that is being written, beside the one under test: `copyCrashed` copies it as a crash would leave it. */
const crashed = () => join(directory, 'live', 'store.db')

async function unclean(): Promise<DatabaseSync> {
  await filled(crashed())
  return new DatabaseSync(crashed())
}

function copyCrashed(): void {
  copyFileSync(crashed(), file)
  if (existsSync(`${crashed()}-wal`)) copyFileSync(`${crashed()}-wal`, `${file}-wal`)
}

function openAsNobody(path: string): Promise<string> {
  return inChild(
    `if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534) }; await open(${JSON.stringify(path)})`,
  )
}

async function inChild(code: string): Promise<string> {
  const script = `
    import { openSqliteStore } from ${JSON.stringify(new URL('./open.ts', import.meta.url).href)}
    const open = async (file) => {
      const store = await openSqliteStore({ file, now: () => 0 }).catch((error) => error)
      process.stdout.write(store instanceof Error ? store.code + ' ' + store.message : 'open')
      if (!(store instanceof Error)) await store.close()
    }
    ${code}`
  return (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])).stdout
}
