import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { killWriting, loseLog } from '../../../test/support/lost-log.ts'
import { sampleRows, seed } from '../conformance/rows.ts'
import type { Store } from '../port.ts'
import { openSqliteFile, openSqliteStore } from './open.ts'
import { lossOf } from './trace.ts'

let directory = ''
let file = ''
let said: string[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'offshoot-loss-'))
  file = join(directory, 'home', 'offshoot.db')
  said = []
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const durable = { durable: true }
const open = () => openSqliteFile({ file, warn: (text) => said.push(text) })
const inHome = (start: string) =>
  readdirSync(join(directory, 'home')).filter((name) => name.startsWith(start))

async function seeded(): Promise<Store> {
  const store = await open()
  await store.tx((tx) => seed(tx, sampleRows()), durable)
  return store
}

function fail(message: string): never {
  throw new Error(message)
}

/** Writes until that fails; it is looked every few milliseconds. */
async function refused(store: Store): Promise<unknown> {
  for (;;) {
    const error: unknown = await touch(store).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error !== undefined) return error
  }
}

const touch = (store: Store) => store.tx((tx) => tx.count('runs', {}), durable)

describe('a store whose file goes while it is open', () => {
  const rescued = (message: string) => / its full content is in (\S+)$/.exec(message)?.[1] ?? ''

  test.each<[string, () => void]>([
    ['is removed', () => rmSync(file)],
    ['is replaced', () => (renameSync(file, `${file}.away`), writeFileSync(file, 'another'))],
    ['loses its log', () => rmSync(`${file}-wal`)],
  ])('%s: every write is refused, and all that it held is written aside', async (_, lose) => {
    const store = await seeded()
    lose()
    const error = await refused(store)
    expect(error).toMatchObject({ code: 'store_lost' })
    const copy = rescued((error as Error).message)
    expect(copy.startsWith(join(directory, 'home', 'offshoot.db.rescued-'))).toBe(true)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    await expect(touch(store)).rejects.toBe(error)
    expect(store.count('conversations', {})).toBe(1)
    await store.close()
    file = copy
    const again = await open()
    expect(again.count('conversations', {})).toBe(1)
    await again.close()
  })

  test('whose folder is gone too: what it held is among the temporary files', async () => {
    const store = await seeded()
    rmSync(join(directory, 'home'), { recursive: true })
    const error = (await refused(store)) as Error
    const copy = rescued(error.message)
    expect(copy.startsWith(join(tmpdir(), 'offshoot.db.rescued-'))).toBe(true)
    expect(existsSync(join(directory, 'home'))).toBe(false)
    rmSync(copy)
    await store.close()
  })

  test('whose folder is a file now: what it held is among the temporary files', async () => {
    const store = await seeded()
    renameSync(join(directory, 'home'), join(directory, 'away'))
    writeFileSync(join(directory, 'home'), 'a file')
    const error = (await refused(store)) as Error
    expect(error).toMatchObject({ code: 'store_lost' })
    file = rescued(error.message)
    expect(file.startsWith(join(tmpdir(), 'offshoot.db.rescued-'))).toBe(true)
    await store.close()
    const again = await open()
    expect(again.count('conversations', {})).toBe(1)
    await again.close()
    rmSync(file)
  })

  test('whose folder cannot be looked at: what is written is refused, until it can', async () => {
    const [home, away] = [join(directory, 'home'), join(directory, 'away')]
    const store = await seeded()
    renameSync(home, away)
    symlinkSync(home, home) // leads nowhere, for root too
    const error = await refused(store)
    expect(error).toMatchObject({ code: 'store_readonly' })
    expect((error as Error).message).toContain('ELOOP')
    rmSync(home)
    renameSync(away, home)
    await touch(store)
    await store.close()
    const again = await open()
    expect(again.count('conversations', {})).toBe(1)
    await again.close()
    expect(inHome('offshoot.db.rescued-')).toEqual([])
  })
})

describe('a log that was deleted after a kill', () => {
  test('is said once, and what is left is kept', async () => {
    await killWriting(file)
    expect(lossOf(file)).toBeUndefined()
    rmSync(`${file}-wal`)
    rmSync(`${file}-shm`)
    const before = readFileSync(file)
    expect(lossOf(file)).toMatchObject({ what: 'log' })
    await (await open()).close()
    expect(said).toEqual([
      expect.stringMatching(
        /^the log of the database .* was deleted .* No backup exists\. What is left was copied to /,
      ),
    ])
    const [copy] = inHome('offshoot.db.without-log-')
    expect(readFileSync(join(directory, 'home', copy!)).equals(before)).toBe(true)
    await (await open()).close()
    expect(said).toHaveLength(1)
  })

  test('is told to the program that opens it as a library, or by a warning of the process', async () => {
    await loseLog(file)
    await (await openSqliteStore({ file, warn: (text) => said.push(text) })).close()
    expect(said).toEqual([expect.stringContaining('the log of the database')])
    rmSync(join(directory, 'home'), { recursive: true })
    await loseLog(file)
    const warned = once(process, 'warning')
    await (await openSqliteStore({ file })).close()
    expect(await warned).toMatchObject([
      { name: 'OffshootWarning', message: expect.stringContaining('the log of the database') },
    ])
  })

  test.each<[string, Parameters<typeof openSqliteFile>[0]]>([
    ['the database cannot be opened', { file: '', connect: () => fail('not today') }],
    ['nobody can be told', { file: '', warn: () => fail('not today') }],
  ])('is said at the next start where %s, and what is left is copied once', async (_, failing) => {
    await loseLog(file)
    for (let tries = 0; tries < 2; tries++)
      await expect(openSqliteFile({ ...failing, file })).rejects.toThrow('not today')
    expect(said).toEqual([])
    await (await open()).close()
    expect(said).toHaveLength(1)
    expect(inHome('offshoot.db.without-log-')).toHaveLength(1)
  })

  test('is not said after a kill alone, nor where another program has taken the log in', async () => {
    await killWriting(file)
    await (await open()).close()
    rmSync(join(directory, 'home'), { recursive: true })
    await killWriting(file)
    const db = new DatabaseSync(file)
    expect(db.prepare('SELECT count(*) AS n FROM conversations').get()).toEqual({ n: 1 })
    db.close()
    expect(existsSync(`${file}-wal`)).toBe(false)
    await (await open()).close()
    expect(said).toEqual([])
  })
})

describe('a file that was cut to nothing', () => {
  test('is said, with the latest backup', async () => {
    await (await seeded()).close()
    truncateSync(file)
    writeFileSync(join(directory, 'home', 'keep'), '')
    await (await open()).close()
    expect(said).toEqual([
      `the database ${file} is empty but was not before. No backup exists. A new database is started.`,
    ])
    await (await open()).close()
    expect(said).toHaveLength(1)
  })

  test('is nothing to speak of where there was none before', async () => {
    await (await open()).close()
    rmSync(join(directory, 'home'), { recursive: true })
    await (await seeded()).close()
    expect(said).toEqual([])
  })
})
