import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleRows, seed } from '../conformance/rows.ts'
import type { Store } from '../port.ts'
import { openSqliteFile } from './open.ts'
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
  const rescued = (message: string) => / all that it held is in (\S+)$/.exec(message)?.[1] ?? ''

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
})

describe('a log that was deleted after a kill', () => {
  /** Commits, and is killed. */
  async function killed(): Promise<void> {
    const script = `
      import { openSqliteStore } from ${JSON.stringify(new URL('./open.ts', import.meta.url).href)}
      import { sampleRows, seed } from ${JSON.stringify(new URL('../conformance/rows.ts', import.meta.url).href)}
      const store = await openSqliteStore({ file: ${JSON.stringify(file)} })
      await store.tx((tx) => seed(tx, sampleRows()), { durable: true })
      process.kill(process.pid, 'SIGKILL')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
    await once(child, 'exit')
  }

  test('is said once, and what is left is kept', async () => {
    await killed()
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

  test('is not said after a kill alone, nor where another program has taken the log in', async () => {
    await killed()
    await (await open()).close()
    rmSync(join(directory, 'home'), { recursive: true })
    await killed()
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
