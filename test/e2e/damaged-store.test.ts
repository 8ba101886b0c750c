import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { TestUser } from '../support/test-user.ts'

const PAGE = 4096
const MIGRATIONS = join(import.meta.dirname, '../../src/store/migrations')

let user: TestUser

beforeAll(async () => {
  user = new TestUser({ 'a.txt': 'text\n' })
  for (const asked of ['The first question', 'The second question', 'The third question'])
    await user.call(['run', asked, '-m', answer()])
  cpSync(user.home, sound(), { recursive: true })
})
beforeEach(() => {
  rmSync(user.home, { recursive: true })
  cpSync(sound(), user.home, { recursive: true })
})
afterAll(() => user.remove())

/** The home as it was after the three runs: each test begins with a copy of it. */
const sound = () => join(user.root, 'sound')

function answer(): string {
  const read = { toolCalls: [{ tool: 'read', input: { file_path: 'a.txt' } }] }
  return user.script({ main: [read, { text: 'Good. '.repeat(3_000) }] })
}

function change(sql: string): void {
  const db = new DatabaseSync(user.database)
  db.exec(sql)
  db.close()
}

function overwrite(from: number, to: number): void {
  const bytes = readFileSync(user.database)
  writeFileSync(user.database, bytes.fill(0, from, to))
}

/** Every file of the home, by name, but the index of the log, which is no data. */
function files(): Record<string, string> {
  const names = readdirSync(user.home).filter(
    (name) => !name.endsWith('-shm') && statSync(join(user.home, name)).isFile(),
  )
  return Object.fromEntries(names.map((name) => [name, hash(join(user.home, name))]))
}

function hash(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

async function expectRefused(message: RegExp, hint: string): Promise<void> {
  const before = files()
  const refused = [
    await user.run(['run', 'hi', '-m', answer()]),
    await user.call(['ls']),
    await user.call(['recover']),
  ]
  for (const ended of refused) {
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    expect(ended.stderr).toMatch(/^offshoot: [^\n]+\n {2}[^\n]+\n$/)
    expect(ended.stderr).toMatch(message)
    expect(ended.stderr).toContain(hint)
  }
  expect(files()).toEqual(before)
}

/** What is listed can be shown and exported. */
async function expectUsable(): Promise<number> {
  const { stdout } = await user.call(['ls', '--json'])
  const ids = (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)
  for (const id of ids)
    for (const args of [
      ['show', id, '--messages'],
      ['export', id],
    ])
      expect(await user.call(args), args.join(' ')).toMatchObject({ code: 0, stderr: '' })
  expect(await user.call(['run', 'again', '-m', answer()])).toMatchObject({ code: 0 })
  expect(await user.call(['doctor'])).toMatchObject({ code: 0 })
  return ids.length
}

describe('a damaged store', () => {
  it.each<[string, () => void, RegExp]>([
    [
      'a torn tail',
      () => truncateSync(user.database, statSync(user.database).size - 3 * PAGE - 700),
      /is damaged/,
    ],
    ['zeroed pages', () => overwrite(20 * PAGE, 24 * PAGE), /is damaged/],
    ['a zeroed first page', () => overwrite(0, PAGE), /is damaged: its header is overwritten/],
    ['a missing table', () => change('DROP TABLE todos'), /is damaged: it lacks the table todos/],
  ])(
    'with %s is refused and left as it is; doctor --repair brings back what can be read',
    async (_, damage, message) => {
      damage()
      await expectRefused(message, 'offshoot doctor --repair')
      expect(await user.call(['recover', '--dry-run'])).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(message),
      })
      const damaged = readFileSync(user.database)
      const looked = await user.call(['doctor'])
      expect(looked).toMatchObject({ code: 3, stdout: expect.stringContaining('offshoot doctor --repair') })
      const repaired = await user.run(['doctor', '--repair'])
      expect(repaired).toMatchObject({ code: 0, stderr: '' })
      const aside = /The damaged database is kept: (\S+)/.exec(repaired.stdout)![1]!
      expect(readFileSync(aside).equals(damaged)).toBe(true)
      expect(statSync(user.database).mode & 0o777).toBe(0o600)
      await expectUsable()
    },
  )

  it('whose first page and todos are lost keeps every conversation, in the mode plan', async () => {
    overwrite(0, PAGE)
    const repaired = await user.run(['doctor', '--repair'])
    expect(repaired.stdout).toMatch(/3 conversations, \d+ messages, 3 runs were copied/)
    expect(repaired.stdout).toMatch(/lost +1 of \d+ pages could not be read\n +Rules may be lost/)
    expect(user.rows('SELECT DISTINCT mode FROM conversations')).toEqual([{ mode: 'plan' }])
    expect(await expectUsable()).toBe(3)
  })

  it.each<[string, () => void, RegExp, string]>([
    [
      'of another program',
      () => change('PRAGMA application_id = 77'),
      /a database of another program/,
      'The file was not changed',
    ],
    [
      'of a newer program',
      () => change('PRAGMA user_version = 99'),
      /newer offshoot \(version 99/,
      'Update offshoot',
    ],
  ])('%s is refused, by doctor --repair too', async (_, alter, message, hint) => {
    alter()
    await expectRefused(message, hint)
    const before = files()
    const ended = await user.run(['doctor', '--repair'])
    expect(ended).toMatchObject({ code: 3, stdout: expect.stringMatching(message) })
    expect(files()).toEqual(before)
  })
})

it('doctor --repair leaves alone what is sound, what is not there, and what a process has open', async () => {
  const before = files()
  const untouched = await user.call(['doctor', '--repair'])
  expect(untouched).toMatchObject({ code: 0, stdout: expect.stringMatching(/repair +nothing is damaged/) })
  expect(files()).toEqual(before)
  const none = { env: { OFFSHOOT_HOME: join(user.root, 'none') } }
  expect(await user.call(['doctor', '--repair'], none)).toMatchObject({ code: 0 })
  expect(existsSync(join(user.root, 'none'))).toBe(false)
  const model = user.script({
    main: [{ toolCalls: [{ tool: 'bash', input: { command: 'touch begun; sleep 1000' } }] }],
  })
  const program = user.start(['run', 'hi', '-m', model, '--mode', 'auto'])
  await expect.poll(() => existsSync(join(user.directory, 'begun')), { timeout: 30_000 }).toBe(true)
  const open = await user.run(['doctor', '--repair'])
  expect(open.stdout).toMatch(new RegExp(`repair +the database .* is open in process ${program.pid}`))
  program.kill('SIGKILL')
  await program.ended
})

it('gc asks on a terminal, and deletes nothing without a yes', async () => {
  const ask = async (typed: string) => {
    const program = user.terminal(['gc', '--keep', '1'])
    await program.untilStdout('for good? [y/N]')
    program.type(typed)
    return program.ended
  }
  expect(await ask('n\r')).toMatchObject({ code: 0 })
  expect(user.rows('SELECT id FROM conversations')).toHaveLength(3)
  expect(await ask('yes\r')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 deleted') })
  expect(user.rows('SELECT id FROM conversations')).toHaveLength(1)
})

describe('a store of an older program', () => {
  /** As it was before the latest migrations. */
  function age(): void {
    const [first] = readdirSync(MIGRATIONS).toSorted()
    rmSync(user.database)
    change(readFileSync(join(MIGRATIONS, first!), 'utf8'))
    change(
      `INSERT INTO schema_version VALUES (1, 1); PRAGMA user_version = 1; PRAGMA application_id = ${0x4f465348}`,
    )
  }

  it('is copied to backups before it is brought up to date', async () => {
    age()
    const { size } = statSync(user.database)
    expect(size).toBeGreaterThan(0)
    expect(await user.run(['ls', '--json'])).toMatchObject({ code: 0, stderr: '' })
    const [copy] = readdirSync(join(user.home, 'backups'))
    expect(statSync(join(user.home, 'backups', copy!)).mode & 0o777).toBe(0o600)
    const db = new DatabaseSync(join(user.home, 'backups', copy!), { readOnly: true })
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
    db.close()
    await user.run(['ls'])
    expect(readdirSync(join(user.home, 'backups'))).toHaveLength(1)
  })

  it('is not brought up to date where no backup can be made', async () => {
    age()
    writeFileSync(join(user.home, 'backups'), 'in the way')
    await expectRefused(/was not upgraded: cannot make a backup in .*backups/, 'start again')
  })
})
