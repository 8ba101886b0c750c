import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lookAtStore, storeSize } from './read-only-store.ts'
import { writerOf } from './lock-holders.ts'
import { openSqliteStore } from './open.ts'

let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'offshoot-look-'))
  // a URL has to be made of the path with care
  file = join(directory, 'a b#?%.db')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const conversation = (id: string) => ({
  id: id as never,
  directory: '/w',
  title: id,
  createdAt: 1,
  updatedAt: 1,
})
const open = () => openSqliteStore({ file, now: () => 1 })

async function storeWith(...ids: string[]) {
  const store = await open()
  await store.tx((tx) => ids.forEach((id) => tx.insert('conversations', conversation(id))), { durable: true })
  return store
}

async function countOf(): Promise<number | undefined> {
  const look = lookAtStore(file)
  look?.check()
  const count = look?.reader?.count('conversations', {})
  await look?.close()
  return count
}

/** Names, times and contents of everything that lies there. */
function everything({ but = '/' } = {}): unknown {
  return readdirSync(directory)
    .filter((name) => !name.endsWith(but))
    .toSorted()
    .map((name) => {
      const path = join(directory, name)
      const { mtimeMs, ino } = statSync(path)
      return { name, mtimeMs, ino, hash: createHash('sha256').update(readFileSync(path)).digest('hex') }
    })
}

function errorOf(): { readonly code: string; readonly message: string } {
  try {
    lookAtStore(file)?.check()
  } catch (error) {
    return error as { code: string; message: string }
  }
  throw new Error('nothing was wrong')
}

describe('a look changes nothing on disk', () => {
  test('where there is no database, an empty file, or no directory', () => {
    expect(lookAtStore(file)).toBeNull()
    expect(lookAtStore(join(directory, 'no/where.db'))).toBeNull()
    expect(readdirSync(directory)).toEqual([])
    writeFileSync(file, '')
    expect(lookAtStore(file)).toBeNull()
    expect(readdirSync(directory)).toEqual(['a b#?%.db'])
  })

  test('where nobody has the database open', async () => {
    await (await storeWith('a', 'b')).close()
    const before = everything()
    expect(await countOf()).toBe(2)
    expect(everything()).toEqual(before)
  })

  test('where another process has it open and writes, and it sees what is committed', async () => {
    const store = await storeWith('a')
    const before = everything({ but: '-shm' }) // shared within a process
    expect(await countOf()).toBe(1)
    expect(everything({ but: '-shm' })).toEqual(before)
    await store.tx((tx) => tx.insert('conversations', conversation('b')), { durable: true })
    expect(await countOf()).toBe(2)
    await store.close()
  })

  test('where a process was killed: its log is read, and left as it is', async () => {
    const store = await storeWith('a', 'b', 'c')
    const killed = mkdtempSync(join(tmpdir(), 'offshoot-look-'))
    cpSync(directory, killed, { recursive: true })
    await store.close()
    rmSync(directory, { recursive: true })
    cpSync(killed, directory, { recursive: true })
    rmSync(killed, { recursive: true })
    const before = everything()
    expect(storeSize(file).logBytes).toBeGreaterThan(0)
    expect(await countOf()).toBe(3)
    expect(everything()).toEqual(before)
    rmSync(`${file}-shm`)
    expect(errorOf()).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('without the index'),
    })
    expect(readdirSync(directory)).toHaveLength(2)
  })
})

describe('what is wrong is said with its code', () => {
  test('a database of another program, a newer one, a damaged one', async () => {
    writeFileSync(file, 'hello '.repeat(100))
    expect(errorOf().code).toBe('store_foreign')
    rmSync(file)
    await (await storeWith('a')).close()
    const whole = readFileSync(file)
    const db = new DatabaseSync(file)
    db.exec('PRAGMA user_version = 99')
    db.close()
    expect(errorOf()).toMatchObject({ code: 'store_newer', message: expect.stringContaining('99') })
    writeFileSync(file, whole)
    truncateSync(file, whole.length - 4096)
    const before = everything()
    expect(errorOf().code).toBe('store_corrupt')
    expect(everything()).toEqual(before)
  })

  test('a database before its first migration has a version and nothing to read', async () => {
    await (await storeWith('a')).close()
    const db = new DatabaseSync(file)
    db.exec('PRAGMA user_version = 0')
    db.close()
    const look = lookAtStore(file)!
    expect(look).toMatchObject({ version: 0, reader: null })
    await look.close()
  })
})

test('the process that writes is named as long as it does', async () => {
  const store = await storeWith('a')
  expect(writerOf(file)).toBeUndefined()
  const db = new DatabaseSync(file)
  db.exec('BEGIN IMMEDIATE')
  expect(writerOf(file)).toBe(process.pid)
  db.exec('ROLLBACK')
  expect(writerOf(file)).toBeUndefined()
  db.close()
  await store.close()
  expect(writerOf(file)).toBeUndefined()
})
