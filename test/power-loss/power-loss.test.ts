import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'
import { Disk, type Chance } from './disk.ts'
import { buildRecorder, readRecording, type Operation } from './recording.ts'

let folder: string
let recorder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-power-'))
  recorder = buildRecorder(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let recordings = 0

function recorded(root: string): Record<string, string> {
  const to = join(folder, `recording-${++recordings}`)
  return { LD_PRELOAD: recorder, RECORD_ROOT: root, RECORD_TO: to }
}

/** What workload.ts did to a disk that was empty. */
function workload(
  rounds: string,
  env: Record<string, string> = {},
): { root: string; operations: Operation[] } {
  const root = mkdtempSync(join(folder, 'disk-'))
  const record = recorded(root)
  const args = [join(import.meta.dirname, 'workload.ts'), join(root, 'home/offshoot.db'), rounds]
  const ended = spawnSync(process.execPath, args, {
    env: { ...process.env, ...env, ...record },
    encoding: 'utf8',
  })
  expect(ended).toMatchObject({ status: 0, stderr: '' })
  return { root, operations: readRecording(record['RECORD_TO']!) }
}

interface Loss {
  /** Which operation came next, or had come last. */
  readonly at: number
  /** How much was kept of what was not synced: 0 to 1. */
  readonly kept: number
  readonly problem: string
}

/**
 * Loses power before and after each sync, and at every so manieth other operation, each time with several fates of what
 * was not synced, and looks at what is left. `acknowledges` says what a piece of stdout promises.
 */
async function losses(
  { root, operations }: { root: string; operations: readonly Operation[] },
  acknowledges: (said: string) => readonly number[],
  { every, seed }: { readonly every: number; readonly seed: number },
): Promise<{ tried: number; found: Loss[]; acknowledged: number }> {
  const random = numbers(seed)
  const disk = new Disk(root)
  const promised: number[] = []
  const found: Loss[] = []
  let tried = 0
  for (const [at, operation] of operations.entries()) {
    const isSync = operation.kind === 'sync'
    if (isSync) await lose(at, [0, 1, random()])
    else if (at % every === 0) await lose(at, [0, random()])
    disk.apply(operation)
    if (operation.kind === 'said') promised.push(...acknowledges(operation.data.toString()))
    if (isSync || operation.kind === 'said') await lose(at, [random() / 2])
  }
  return { tried, found, acknowledged: promised.length }

  async function lose(at: number, fates: readonly number[]): Promise<void> {
    for (const kept of fates) {
      const problem = await left({ data: kept, names: kept, random })
      tried++
      if (problem) found.push({ at, kept, problem })
    }
  }

  async function left(chance: Chance): Promise<string | undefined> {
    const place = mkdtempSync(join(folder, 'left-'))
    try {
      disk.writeTo(place, chance)
      return await problemIn(join(place, 'home/offshoot.db'), promised)
    } finally {
      rmSync(place, { recursive: true })
    }
  }
}

/** What a start finds that must not be; undefined: everything that was promised is there. */
async function problemIn(file: string, promised: readonly number[]): Promise<string | undefined> {
  if (!existsSync(file)) return promised.length > 0 ? 'the store is gone' : undefined
  let seqs: Set<number>
  try {
    const store = await openSqliteStore({ file })
    seqs = new Set(store.find('events', {}).flatMap(({ seq, events }) => events.map((_, i) => seq + i)))
    await store.close()
  } catch (error) {
    return `the store is refused: ${String(error)}`
  }
  const db = new DatabaseSync(file)
  const check = db.prepare('PRAGMA integrity_check').get()!['integrity_check'] as string
  const broken = db.prepare('PRAGMA foreign_key_check').all()
  db.close()
  if (check !== 'ok') return check
  if (broken.length > 0) return 'a reference is broken'
  const lost = promised.filter((seq) => !seqs.has(seq))
  return lost.length > 0 ? `lost: ${lost.slice(0, 3).join(', ')}` : undefined
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}

const numbersIn = (said: string) => said.split('\n').filter(Boolean).map(Number)

describe('power is lost', { timeout: 120_000 }, () => {
  test('at every sync and between: what the store acknowledged is there, and it is sound', async () => {
    const run = workload('60')
    const { tried, found, acknowledged } = await losses(run, numbersIn, { every: 17, seed: 1 })
    expect(found).toEqual([])
    expect(acknowledged).toBeGreaterThan(80)
    expect(tried).toBeGreaterThan(500)
  })

  test('with full-sync switched off the same finds a loss', async () => {
    const { found } = await losses(workload('15', { TEST_OFF: 'full-sync' }), numbersIn, {
      every: 1_000,
      seed: 1,
    })
    expect(found.map(({ problem }) => problem)).toContainEqual(expect.stringMatching(/^lost: /))
  })

  test('while the program runs: every event that it told of is there', async () => {
    const user = new TestUser({ 'a.txt': 'text\n' })
    try {
      const model = user.script({
        main: [{ toolCalls: [{ tool: 'read', input: { file_path: 'a.txt' } }] }, { text: 'Good.' }],
      })
      const disk = join(user.root, 'disk')
      mkdirSync(disk)
      const record = recorded(disk)
      const env = { ...user.env, ...record, OFFSHOOT_HOME: join(disk, 'home') }
      const command = user.command(['run', 'hi', '-m', model, '--output-format', 'events'])
      expect(await new StartedProgram(command, { cwd: user.directory, env }).ended).toMatchObject({ code: 0 })
      const operations = readRecording(record['RECORD_TO']!)
      const { found, acknowledged } = await losses({ root: disk, operations }, durableEvents, {
        every: 40,
        seed: 2,
      })
      expect(found).toEqual([])
      expect(acknowledged).toBeGreaterThan(10)
    } finally {
      user.remove()
    }
  })
})

/** Ephemeral events have a `sub`, and are promised to nobody. */
function durableEvents(said: string): number[] {
  return said
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { seq: number; sub?: number })
    .filter(({ sub }) => sub === undefined)
    .map(({ seq }) => seq)
}
