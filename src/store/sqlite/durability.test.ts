import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sampleRows, seed, type Sample } from '../conformance/rows.ts'
import { groupCommit } from '../group-commit.ts'
import type { ArtifactRow, Store } from '../port.ts'
import { migrate } from './migrate.ts'
import { openSqliteFile, openSqliteStore } from './open.ts'
import { SqliteEngine } from './sqlite-engine.ts'

let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'offshoot-durability-'))
  file = join(directory, 'store.db')
})
afterEach(() => {
  rmSync(directory, { recursive: true })
})

const durable = { durable: true }
const open = (options: { maxPageCount?: number } = {}) =>
  openSqliteStore({ file, now: () => 0, busyTimeoutMs: 20, ...options })

async function openSeeded(options: { maxPageCount?: number } = {}): Promise<[Store, Sample]> {
  const store = await open(options)
  const sample = sampleRows()
  await store.tx((tx) => seed(tx, sample), durable)
  return [store, sample]
}

test('everything that was acknowledged is there after SIGKILL', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER(file)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let last = -1
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line)
    if (last === 200) child.kill('SIGKILL')
  }
  expect(last).toBeGreaterThanOrEqual(200)
  const store = await open()
  const seqs = store.find('events', {}).map(({ seq }) => seq)
  expect(seqs.length).toBeGreaterThan(last)
  expect(seqs).toEqual(seqs.map((_, i) => i))
  expect(store.find('conversations', {})[0]?.updatedAt).toBe(seqs.at(-1))
  await store.close()
})

/** Writes for ever, two rows in each transaction, and prints the number of each one that is acknowledged. */
const WRITER = (path: string) => `
  import { writeSync } from 'node:fs'
  import { openSqliteStore } from ${JSON.stringify(new URL('./open.ts', import.meta.url).href)}
  import { sampleRows, seed } from ${JSON.stringify(new URL('../conformance/rows.ts', import.meta.url).href)}
  const store = await openSqliteStore({ file: ${JSON.stringify(path)}, now: () => 0 })
  const sample = sampleRows()
  await store.tx((tx) => seed(tx, sample), { durable: true })
  for (let seq = 0; ; seq++) {
    await store.tx((tx) => {
      tx.insert('events', sample.event(seq))
      tx.update('conversations', sample.conversation.id, { updatedAt: seq })
    }, { durable: seq % 2 === 0 })
    writeSync(1, seq + '\\n')
  }`

test('a full file refuses the whole group, keeps what it had, and takes more when there is room', async () => {
  const [store, sample] = await openSeeded({ maxPageCount: 120 })
  const random = (seed: number) =>
    Uint8Array.from({ length: 60_000 }, (_, i) => Math.imul(i + seed, 0x9e3779b1) >>> 13)
  const stored: ArtifactRow[] = []
  let failure: unknown
  for (let i = 0; failure === undefined; i++) {
    const row = sample.artifact(`hash ${i}`, random(i * 1e6))
    await store
      .tx((tx) => tx.insert('artifacts', row), durable)
      .then(
        () => stored.push(row),
        (error: unknown) => (failure = error),
      )
  }
  expect(failure).toMatchObject({ code: 'store_full', hint: expect.stringContaining('Free space') as string })
  expect(stored.length).toBeGreaterThan(0)
  expect(store.find('artifacts', {})).toEqual(stored)

  const big = sample.artifact('big', random(7))
  const group = await Promise.allSettled([
    store.tx((tx) => tx.insert('artifacts', big), durable),
    store.tx((tx) => tx.insert('artifacts', { ...big, id: sample.id('art'), hash: 'bigger' }), durable),
  ])
  expect(
    group.map((outcome) => outcome.status === 'rejected' && (outcome.reason as { code: string }).code),
  ).toEqual(['store_full', 'store_full'])

  await store.tx((tx) => tx.delete('artifacts', stored[0]!.id), durable)
  await store.tx((tx) => tx.insert('artifacts', big), durable)
  expect(store.get('artifacts', big.id)).toEqual(big)
  await store.close()
})

test('a closure that catches the error of a full file does not make its group a success', async () => {
  const [store, sample] = await openSeeded({ maxPageCount: 70 })
  const noise = Uint8Array.from({ length: 400_000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 13)
  const group = await Promise.allSettled([
    store.tx((tx) => tx.insert('messages', sample.message(0)), durable),
    store.tx((tx) => {
      expect(() => tx.insert('artifacts', sample.artifact('big', noise))).toThrow('cannot take more')
    }, durable),
  ])
  const count = store.count('messages', {})
  expect(count).toBe(group[0].status === 'fulfilled' ? 1 : 0)
  expect(store.count('artifacts', {})).toBe(0)
  await store.tx((tx) => tx.insert('messages', sample.message(1)), durable)
  expect(store.count('messages', {})).toBe(count + 1)
  await store.close()
})

test('another program that writes makes a transaction wait, then fail, and stops nothing after it', async () => {
  const [store, sample] = await openSeeded()
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const group = [0, 1].map((position) =>
    store.tx((tx) => tx.insert('messages', sample.message(position)), durable),
  )
  for (const write of group) await expect(write).rejects.toMatchObject({ code: 'store_locked' })
  expect(store.count('messages', {})).toBe(0)
  other.exec("UPDATE conversations SET title = 'theirs'; COMMIT")
  await store.tx((tx) => tx.insert('messages', sample.message(0)), durable)
  expect(store.get('conversations', sample.conversation.id)?.title).toBe('theirs')
  other.close()
  await store.close()
})

test('a group is durable when one of its members is', async () => {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL')
  migrate(db, file, () => 0)
  const store = groupCommit(new SqliteEngine(db, file))
  const level = (isDurable: boolean) =>
    store.tx(() => db.prepare('PRAGMA synchronous').get()!['synchronous'], { durable: isDurable })
  const [normal, full] = [1, 2]
  expect(await level(true)).toBe(full)
  expect(await level(false)).toBe(normal)
  expect(await level(false)).toBe(normal)
  expect(await Promise.all([level(false), level(true)])).toEqual([full, full])
  expect(await Promise.all([level(false), level(false)])).toEqual([normal, normal])
  await store.close()
})

/** Counts pages of the log instead of time: an append changes as many of them, however long the conversation is. */
test('an append writes as much to 10,000 messages as to 10', async () => {
  const [store, sample] = await openSeeded()
  const pages = async (position: number) => {
    const message = sample.message(position)
    const before = total()
    await store.tx((tx) => {
      tx.insert('messages', message)
      tx.insert('parts', sample.part(message.id, 0, 'text'))
      const last = tx.find('messages', {
        where: { branchId: sample.branch.id },
        orderBy: 'position',
        descending: true,
        limit: 1,
      })
      expect(last).toEqual([message])
    }, durable)
    return total() - before
  }
  const other = new DatabaseSync(file)
  const checkpoint = other.prepare('PRAGMA wal_checkpoint(PASSIVE)', { returnArrays: true })
  const total = () => (checkpoint.get() as unknown as [number, number, number])[1]
  const fill = (from: number, to: number) =>
    store.tx((tx) => {
      for (let position = from; position < to; position++) {
        const message = sample.message(position)
        tx.insert('messages', message)
        tx.insert('parts', sample.part(message.id, 0, 'text'))
      }
    }, durable)
  const few = await fill(0, 10).then(() => median(pages, 10))
  const many = await fill(30, 10_000).then(() => median(pages, 10_000))
  expect(many).toBeLessThanOrEqual(few + 8)
  other.close()
  await store.close()
})

async function median(measure: (position: number) => Promise<number>, from: number): Promise<number> {
  const found = []
  for (let i = 0; i < 11; i++) found.push(await measure(from + i))
  return found.toSorted((a, b) => a - b)[5]!
}

test('the log of a long run does not grow with it, and another process that has the store open changes nothing', async () => {
  const logPages = 100
  const store = await openSqliteFile({ file, logPages })
  const sample = sampleRows()
  await store.tx((tx) => seed(tx, sample), durable)
  const other = await openSqliteStore({ file })
  const noise = randomBytes(16 * 1024)
  let largest = 0
  for (let at = 0; at < 400; at++) {
    await store.tx((tx) => tx.insert('artifacts', sample.artifact(`hash ${at}`, noise)), durable)
    other.count('artifacts', {})
    largest = Math.max(largest, statSync(`${file}-wal`).size)
  }
  expect(statSync(file).size).toBeGreaterThan(10 * logPages * 4096)
  expect(largest).toBeLessThan(1.5 * logPages * 4096)
  await other.close()
  await store.close()
  expect(existsSync(`${file}-wal`)).toBe(false)
})

test('users cannot take away what the promises rest on, in JavaScript either', async () => {
  const [connect, engineOf] = [vi.fn(), vi.fn()]
  const store = await openSqliteStore({ file, connect, engineOf } as never)
  await store.tx((tx) => seed(tx, sampleRows()), durable)
  await store.close()
  expect(connect).not.toHaveBeenCalled()
  expect(engineOf).not.toHaveBeenCalled()
})

test('a large file is checked where a process left it, and not where it was closed', async () => {
  const store = await openSqliteStore({ file })
  const sample = sampleRows()
  const noise = randomBytes(1024 * 1024)
  await store.tx((tx) => {
    seed(tx, sample)
    for (let at = 0; at < 70; at++) tx.insert('artifacts', sample.artifact(`hash ${at}`, noise))
  }, durable)
  await store.close()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(4096), 0, 4096, 10_000 * 4096)
  closeSync(descriptor)
  const left = join(directory, 'left.db')
  copyFileSync(file, left)
  // a log as a process leaves it: of a sound database, with nothing in it that counts here
  writeFileSync(`${left}-wal`, Buffer.alloc(32))
  await expect(openSqliteStore({ file: left })).rejects.toMatchObject({ code: 'store_corrupt' })
  expect(existsSync(`${left}-wal`)).toBe(true)
  const closed = await openSqliteStore({ file })
  expect(closed.count('conversations', {})).toBe(1)
  await closed.close()
})
