import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ORDINARY_UID, programCopy, type ProgramCopy } from '../support/ordinary-user.ts'
import { type Ended, StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser

beforeEach(() => {
  user = new TestUser()
})

afterEach(() => user.remove())

describe('a look at what a killed program left', () => {
  it('names its run, and changes nothing, not even the log', async () => {
    const task = { command: 'touch begun; sleep 1000' }
    const model = user.script({ main: [{ toolCalls: [{ tool: 'bash', input: task }] }] })
    const program = user.start(['run', 'hi', '-m', model, '--mode', 'auto'])
    await expect.poll(() => existsSync(join(user.directory, 'begun')), { timeout: 30_000 }).toBe(true)
    const living = await user.run(['doctor'])
    expect(living).toMatchObject({ code: 0, stdout: expect.not.stringContaining('offshoot recover') })
    program.kill('SIGKILL')
    await program.ended
    const before = store()
    expect(before.map(({ name }) => name)).toContain('offshoot.db-wal')
    const [looked, asked] = [await user.run(['doctor']), await user.run(['__complete', 'runs'])]
    const dry = await user.run(['recover', '--dry-run'])
    expect(dry).toMatchObject({ code: 0, stderr: '' })
    expect(dry.stdout).toMatch(/^run_\w+ {2}main {2}main {2}running {2}attempt 1\n$/)
    expect(looked).toMatchObject({ code: 0, stderr: '' })
    expect(looked.stdout).toMatch(
      /! warning {2}runs +1 left behind by a process that died: run_\w+\n +offshoot recover/,
    )
    expect(asked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^run_\w+\trunning main: /),
      stderr: '',
    })
    expect(store()).toEqual(before)
  })
})

describe('a user without a home', () => {
  it('is told what to set, by every command that needs it', async () => {
    const { OFFSHOOT_HOME: _, ...env } = user.env
    const start = (...args: string[]) =>
      new StartedProgram(user.command(args), { cwd: user.directory, env: { ...env, HOME: '' } }).ended
    for (const args of [['ls'], ['config'], ['agents'], ['run', 'hi', '-m', 'offline']]) {
      const ended = await start(...args)
      expect(ended, args.join(' ')).toMatchObject({ code: 3, stdout: '' })
      expect(ended.stderr).toMatch(
        /^offshoot: there is no home directory: HOME is not set.*\n {2}Set HOME, or .*\n$/,
      )
    }
    const doctor = await start('doctor')
    expect(doctor).toMatchObject({ code: 3, stderr: '' })
    expect(doctor.stdout).toMatch(/✗ problem {2}data +there is no home directory/)
    expect(await start('__complete', 'ids')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(await start('--help')).toMatchObject({ code: 0, stderr: '' })
  })

  it('works where both places are named', async () => {
    const places = { HOME: '', XDG_CONFIG_HOME: join(user.root, 'config') }
    const model = user.script({ main: [{ text: 'Good.' }] })
    const env = { ...user.env, ...places }
    const start = (...args: string[]) =>
      new StartedProgram(user.command(args), { cwd: user.directory, env }).ended
    expect(await start('run', 'hi', '-m', model)).toMatchObject({ code: 0, stdout: 'Good.\n' })
    expect(await start('doctor')).toMatchObject({ code: 0 })
  })
})

describe('a home that cannot be written', () => {
  let copy: ProgramCopy
  beforeAll(() => {
    copy = programCopy()
    chmodSync(copy.folder, 0o755)
  })
  afterAll(() => rmSync(copy.folder, { recursive: true, force: true }))

  it.each([
    ['written', 0o500],
    ['even looked into', 0o000],
  ])('or %s is a problem of doctor and an error of run, with exit code 3', async (_name, mode) => {
    const home = join(user.root, 'closed')
    mkdirSync(home)
    if (ORDINARY_UID !== undefined) chownSync(home, ORDINARY_UID, ORDINARY_UID)
    chmodSync(home, mode)
    const { OFFSHOOT_HOME: _, ...env } = user.env
    const uid = ORDINARY_UID === undefined ? {} : { uid: ORDINARY_UID }
    const options = { cwd: user.directory, env: { ...env, HOME: home }, ...uid }
    const start = (...args: string[]): Promise<Ended> =>
      new StartedProgram([copy.node, copy.main, ...args], options).ended
    const doctor = await start('doctor')
    const run = await start('run', 'hi', '-m', 'offline')
    const look = await start('__complete', 'ids')
    chmodSync(home, 0o700)
    expect(doctor).toMatchObject({ code: 3, stderr: '' })
    expect(doctor.stdout).toMatch(
      /✗ problem {2}data +data cannot be written: EACCES.*\n {26}Make it a writable directory/,
    )
    expect(run).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(/cannot be \w+: EACCES/) })
    expect(look).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(readdirSync(home)).toEqual([])
  })
})

it('on a terminal the bare program says what to type, on one screen, and elsewhere it prints its help', async () => {
  const [bare, piped, help] = [await user.terminal([]).ended, await user.run([]), await user.run(['--help'])]
  expect(bare.code).toBe(0)
  const lines = bare.stdout.replaceAll('\r\n', '\n').trimEnd().split('\n')
  expect(lines[0]).toMatch(/^offshoot "/)
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(piped).toMatchObject({ code: 0, stdout: help.stdout })
})

/** The files of the store as they lie there. */
function store() {
  return readdirSync(user.home)
    .filter((name) => name.startsWith('offshoot.db'))
    .toSorted()
    .map((name) => {
      const path = join(user.home, name)
      const { mtimeMs, ino } = statSync(path)
      return { name, mtimeMs, ino, hash: createHash('sha256').update(readFileSync(path)).digest('hex') }
    })
}
