import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ORDINARY_UID, programCopy, type ProgramCopy } from '../support/ordinary-user.ts'
import { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
let copy: ProgramCopy

beforeAll(() => {
  copy = programCopy()
  chmodSync(copy.folder, 0o755)
})

beforeEach(async () => {
  user = new TestUser({ 'a.txt': 'text\n' })
  await user.call(['run', 'The first question', '-m', answer()])
})

afterEach(() => user.remove())
afterAll(() => rmSync(copy.folder, { recursive: true, force: true }))

describe('a database that cannot serve', () => {
  it.each<[string, (file: string) => void, RegExp]>([
    ['random bytes', (file) => writeFileSync(file, Buffer.alloc(5_000, 'noise')), /not an Offshoot database/],
    ['of another program', (file) => otherDatabase(file), /a database of another program/],
    ['of a newer program', (file) => change(file, 'PRAGMA user_version = 99'), /newer offshoot \(version 99/],
    ['cut short', (file) => truncateSync(file, 20_000), /is damaged/],
    ['without a table', (file) => change(file, 'DROP TABLE leases'), /is damaged: .*leases/],
    ['a directory', (file) => (rmSync(file), mkdirSync(file)), /not a file/],
  ])('%s: one error, exit code 3, and it is left as it is', async (_, damage, message) => {
    const kept = join(user.root, 'kept.db')
    copyFileSync(user.database, kept)
    damage(user.database)
    const before = existsSync(user.database) && bytesOf(user.database)
    for (const args of [['run', 'hi', '-m', answer()], ['ls']]) {
      const ended = await user.call(args)
      expect(ended).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(message) })
      expectClear(ended.stderr)
    }
    expect(bytesOf(user.database)).toEqual(before)
    rmSync(user.database, { recursive: true })
    copyFileSync(kept, user.database)
    await expectNothingLost()
  })
})

describe('a place that takes no data', () => {
  it('is one error with exit code 3, whether it is a file, below one, or where nothing can be made', async () => {
    const places = [user.write('file', ''), join(user.write('file', ''), 'below'), '/proc/nothing/here']
    for (const OFFSHOOT_HOME of places) {
      const ended = await user.call(['run', 'hi', '-m', answer()], { env: { OFFSHOOT_HOME } })
      expect(ended).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining('cannot be written'),
      })
      expectClear(ended.stderr)
    }
    await expectNothingLost()
  })

  it('may be a file or a directory without the right to write', async () => {
    const script = answer()
    if (ORDINARY_UID !== undefined)
      for (const path of [user.home, user.database]) chownSync(path, ORDINARY_UID, ORDINARY_UID)
    for (const [path, without] of [
      [user.database, 0o400],
      [user.home, 0o500],
    ] as const) {
      const mode = path === user.home ? 0o700 : 0o600
      chmodSync(path, without)
      const ended = await asOrdinaryUser('run', 'hi', '-m', script)
      expect(ended).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(/cannot be written: EACCES/),
      })
      expectClear(ended.stderr)
      chmodSync(path, mode)
    }
    expect(await asOrdinaryUser('run', 'hi', '-m', script)).toMatchObject({ code: 0, stdout: 'Good.\n' })
    await expectNothingLost()
  })

  it('may be full, or locked by another program: exit code 1, and what was there before is safe', async () => {
    const other = new DatabaseSync(user.database)
    other.exec('BEGIN IMMEDIATE')
    const locked = await user.run(['run', 'hi', '-m', answer()])
    other.close()
    const size = bytesOf(user.database).length
    const long = user.script({ main: [{ text: 'x'.repeat(3_000_000) }] }, 'long.json')
    const [start, middle] = await Promise.all([
      withinBytes(size + 100_000, ['run', '-m', answer()], 'y'.repeat(3_000_000)),
      withinBytes(size + 1_000_000, ['run', 'hi', '-m', long], ''),
    ])
    for (const ended of [start, middle]) expect(ended.stderr).toMatch(/database .* cannot take more/)
    expect(locked.stderr).toMatch(/database .* is locked by another program/)
    for (const ended of [locked, start, middle]) {
      expect(ended).toMatchObject({ code: 1, stdout: '' })
      expectClear(ended.stderr.replace(/^.*(model|◐).*\n/gm, ''))
    }
    await expectNothingLost()
  })

  it.each(['json', 'stream-json'])(
    'may be full in the middle: %s still ends with its object',
    async (format) => {
      const long = user.script({ main: [{ text: 'x'.repeat(3_000_000) }] }, 'long.json')
      const size = bytesOf(user.database).length
      const args = ['run', 'hi', '-m', long, '--output-format', format]
      const ended = await withinBytes(size + 1_000_000, args, '')
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot take more/) })
      const last = JSON.parse(ended.stdout.trimEnd().split('\n').at(-1)!) as object
      const error = {
        code: 'store_full',
        message: expect.stringMatching(/cannot take more/),
        hint: expect.any(String),
      }
      expect(last).toMatchObject(
        format === 'json'
          ? { run_id: expect.stringMatching(/^run_/), status: 'failed', end_reason: 'error', turns: 0, error }
          : { type: 'result', is_error: true, errors: [expect.stringMatching(/cannot take more.*\(/)] },
      )
    },
  )
})

describe('a directory that cannot be read', () => {
  it('is wrong usage', async () => {
    const closed = join(user.directory, 'closed')
    mkdirSync(closed, { mode: 0o000 })
    if (ORDINARY_UID !== undefined) {
      chownSync(closed, ORDINARY_UID, ORDINARY_UID)
      for (const path of [user.home, user.database]) chownSync(path, ORDINARY_UID, ORDINARY_UID)
    }
    const ended = await asOrdinaryUser('run', 'hi', '-C', 'closed', '-m', 'offline')
    expect(ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/closed cannot be read: the current user has no permission for this$/m),
    })
    expectClear(ended.stderr)
  })

  it('does not keep the rest from being searched', async () => {
    mkdirSync(join(user.directory, 'closed'), { mode: 0o000 })
    user.write('open/main.ts', 'export const colour = decideTheColour()\n')
    if (ORDINARY_UID !== undefined)
      for (const path of [user.home, user.database]) chownSync(path, ORDINARY_UID, ORDINARY_UID)
    const { code, stdout } = await asOrdinaryUser('run', 'Where is decideTheColour called?', '-m', 'offline')
    expect(code).toBe(0)
    expect(stdout).toContain('open/main.ts:1 `export const colour = decideTheColour()`')
  })
})

function answer(): string {
  return user.script({ main: [{ text: 'Good.' }] })
}

function asOrdinaryUser(...args: string[]) {
  const command = [copy.node, copy.main, ...args] as [string, ...string[]]
  const uid = ORDINARY_UID === undefined ? {} : { uid: ORDINARY_UID }
  return new StartedProgram(command, { cwd: user.directory, env: user.env, ...uid }).ended
}

/** No file of the program may grow beyond so many bytes. */
function withinBytes(bytes: number, args: readonly string[], input: string) {
  const blocks = Math.ceil(bytes / 512)
  const script = `ulimit -f ${blocks} && exec "$@"`
  const command = ['/bin/sh', '-c', script, 'sh', process.execPath, copy.main, ...args] as [
    string,
    ...string[],
  ]
  return new StartedProgram(command, { cwd: user.directory, env: user.env, input }).ended
}

async function expectNothingLost(): Promise<void> {
  expect(await user.call(['ls'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The first question'),
  })
  expect(await user.call(['run', 'again', '-m', answer()])).toMatchObject({ code: 0, stdout: 'Good.\n' })
}

function expectClear(stderr: string): void {
  expect(stderr).not.toMatch(/\n\s+at |node:internal|this is a defect/)
  expect(stderr.trimEnd().split('\n').length, stderr).toBeLessThanOrEqual(3)
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

function otherDatabase(file: string): void {
  rmSync(file)
  change(file, 'CREATE TABLE notes (text)')
}

/** Of a directory: nothing. */
function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}
