import { mkdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { unpackEvents } from '../../src/runtime/log/stored-events.ts'
import type { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

const CHILDREN = 10
const names = Array.from({ length: CHILDREN }, (_, at) => `child-${at}`)

const users: TestUser[] = []

afterAll(() => users.forEach((user) => user.remove()))

const task = (name: string) => ({
  tool: 'task',
  input: { subagent_type: 'general', description: name, prompt: `Append ${name}.` },
})
const append = (name: string) => ({
  match: `^Append ${name}\\.$`,
  toolCalls: [{ tool: 'bash', input: { command: `echo ${name} >> appended; sleep 0.02` } }],
})

/** Ten subagents, each of which appends a line and reports; whatever it reads then, it does not append again. */
const script = {
  main: [
    { match: '^Go\\.$', toolCalls: names.map(task) },
    { match: 'subagent_report|^Continue', text: 'All have reported.' },
  ],
  general: [...names.map(append), ...names.map(() => ({ text: 'It is done.' }))],
}

async function newUser(): Promise<TestUser> {
  const user = new TestUser()
  users.push(user)
  user.script(script)
  mkdirSync(user.home)
  await (await openSqliteStore({ file: user.database })).close() // every write from now on is one of a run
  return user
}

/** Some end before their number of writes is reached. */
let killed = 0

/** Kills a program at its n-th write to the store, wherever it is then. */
async function killAtWrite(user: TestUser, program: StartedProgram, n: number): Promise<string> {
  let writes = 0
  const watcher = watch(user.home, (_, file) => {
    if (file === 'offshoot.db-wal' && ++writes === n) program.kill('SIGKILL')
  })
  const { stderr, signal } = await program.ended
  watcher.close()
  if (signal === 'SIGKILL') killed++
  return stderr
}

const start = (user: TestUser, ...more: string[]) =>
  user.start(['run', 'Go.', '-m', `scripted:${join(user.root, 'script.json')}`, '--mode', 'auto', ...more])
const startRecovery = (user: TestUser) => user.start(['recover', '--mode', 'auto'])

async function recover(user: TestUser): Promise<string> {
  const { code, stderr } = await user.call(['recover', '--mode', 'auto'])
  expect(code).toBe(0)
  return stderr
}

/** What must hold of whatever was begun. `told`: what the person has read on stderr. */
function check(user: TestUser, told: string): void {
  const runs = user.rows('select id, agent, status, depth, error from runs')
  if (runs.length === 0) return // it was killed before it had begun anything
  expect(runs.filter(({ status }) => status !== 'completed')).toEqual([])
  const calls = user.rows('select id, tool, title, status, run_id as runId from tool_calls')
  const lines = appended(user)
  expect(lines.length).toBe(new Set(lines).size)
  for (const call of calls.filter(({ tool }) => tool === 'bash')) {
    const name = /child-\d/.exec(String(call['title']))![0]
    if (call['status'] === 'completed') expect(lines).toContain(name)
    else expect(call['status']).toBe('unknown')
  }
  const unknown = calls.filter(({ status }) => status === 'unknown')
  for (const { title, runId } of unknown) {
    const line = told
      .split('\n')
      .find((each) => each.includes(`(${String(runId)})`) && each.includes(String(title)))
    expect(line).toMatch(
      /^offshoot: `.*` was started at \d\d:\d\d:\d\d UTC \(.*\); its result is unknown: whether it took effect is not known/,
    )
    const results = user.rows(
      `select part from parts join messages on messages.id = message_id where run_id = '${String(runId)}'`,
    )
    expect(results.map(({ part }) => String(part)).join()).toContain(
      'its effect is unknown; check before you repeat it',
    )
  }
  const events = user
    .rows('select seq, events from events order by seq')
    .flatMap(({ seq, events }) => unpackEvents({ seq, events: JSON.parse(String(events)) } as never))
  const delivered = events.flatMap((event) => (event.type === 'report.delivered' ? [event.fromRunId] : []))
  const children = runs.filter(({ depth }) => depth === 1).map(({ id }) => id)
  expect(delivered.length).toBe(children.length)
  expect(new Set<unknown>(delivered)).toEqual(new Set(children))
  expect(events.filter(({ type }) => type === 'tool.unknown')).toHaveLength(unknown.length)
  const tasks = calls.filter(({ tool }) => tool === 'task')
  expect(tasks.map(({ status }) => status)).toEqual(names.map(() => 'completed'))
  expect(user.processes()).toEqual([])
}

function appended(user: TestUser): string[] {
  try {
    return readFileSync(join(user.directory, 'appended'), 'utf8').trim().split('\n')
  } catch {
    return [] // nothing was appended
  }
}

/** Numbers below `most`, the same for a seed each time. */
function numbers(seed: number, most: number): () => number {
  let state = seed * 7919 + 17
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return 1 + Math.floor((state / 2 ** 31) * most)
  }
}

const seeds = Array.from({ length: 20 }, (_, seed) => seed)
const WRITES = 35

describe.concurrent('kill -9 in the middle of a fan-out', () => {
  it.each(seeds)('is recovered (seed %i)', async (seed) => {
    const user = await newUser()
    await killAtWrite(user, start(user), numbers(seed, WRITES)())
    check(user, await recover(user))
  })
})

it('what was left can be looked at, paused and continued', async () => {
  const user = await newUser()
  const program = start(user, '--output-format', 'events')
  await program.untilStdout('$ echo child-5')
  program.kill('SIGKILL')
  await program.ended
  const looked = await user.call(['recover', '--dry-run'])
  expect(looked.stdout).toMatch(/^run_\w+  main  main  waiting \(children\)  attempt 1  \d+ subagents\n/)
  expect(await user.call(['recover', '--dry-run'])).toEqual(looked)
  const other = await user.call(['run', 'Hi.', '-m', 'offline'])
  expect(other.stderr).toContain('1 other conversation has runs of a process that has died')
  const paused = await user.call(['recover', '--pause'])
  expect(paused.stderr).toMatch(
    /^offshoot: recovered \d+ runs of a process that has died: (\d+ resumed, )?\d+ paused$/m,
  )
  expect(paused.stdout.split('\n').length).toBe(looked.stdout.split('\n').length)
  expect(user.rows("select distinct reason from runs where status = 'paused'")).toEqual([
    { reason: 'restart' },
  ])
  expect((await user.call(['recover'])).stdout).toBe('')
  const [main] = user.rows(
    "select conversation_id as id from runs where agent = 'main' and status = 'paused'",
  )
  const { code, stdout } = await user.call(['continue', String(main!['id']), '--mode', 'auto'])
  expect([code, stdout]).toEqual([0, 'All have reported.\n'])
})

describe.concurrent('kill -9 during a recovery', () => {
  it.each(seeds.slice(0, 8))('is recovered (seed %i)', async (seed) => {
    const user = await newUser()
    const next = numbers(seed + 100, WRITES)
    await killAtWrite(user, start(user), next())
    const told = await killAtWrite(user, startRecovery(user), Math.ceil(next() / 3))
    check(user, told + (await recover(user)))
  })
})

it('most of them were killed before they had ended', () => {
  expect(killed).toBeGreaterThan(14)
})
