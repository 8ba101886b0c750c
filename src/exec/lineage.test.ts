import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { hasRunMark, isStartedByRun, keepForPerson, markedEnvironment } from './lineage.ts'
import { readEntry } from './processes.ts'

const started: ChildProcess[] = []
afterEach(() => {
  for (const { pid } of started.splice(0)) if (pid) process.kill(-pid, 'SIGKILL')
})

const MARKED = { OFFSHOOT_RUN_ID: 'run_1', HOME: '/home/of-the-person' }
const here = { pid: process.pid, startTime: readEntry(process.pid)!.startTime }

/** Starts a shell as a run starts its commands. Resolves with the pid that the script prints, which goes on. */
async function pidOf(script: string, env: Readonly<Record<string, string>> = MARKED): Promise<number> {
  const path = { PATH: process.env['PATH'] }
  const child = spawn('bash', ['-c', script], {
    detached: true,
    env: { ...path, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  started.push(child)
  const [data] = (await once(child.stdout!, 'data')) as [Buffer]
  return Number(data.toString())
}

/** Prints its pid, and lives until it is killed. */
const LIVES = `sh -c 'echo $$; exec sleep 1000'`

test.each([
  ['a command', `echo $$; exec sleep 1000`],
  ['a shell in it', `${LIVES}; true`],
  ['a clean environment below a shell', `env -i PATH="$PATH" ${LIVES}; true`],
  ['a session of its own', `setsid ${LIVES}; true`],
  ['nohup', `nohup ${LIVES}; true`],
  [
    'a parent that lives, two levels up',
    `env -i PATH="$PATH" setsid sh -c "${LIVES.replaceAll('$', '\\$')}; true"; true`,
  ],
])('%s is started by the run', async (_, script) => {
  const pid = await pidOf(script)
  expect(isStartedByRun(pid, [])).toBe(true)
})

test('an orphan in the session of the command is started by the run', async () => {
  const pid = await pidOf(`(env -i PATH="$PATH" ${LIVES} &) ; sleep 1000`)
  expect(readEntry(pid)!.parentPid).not.toBe(started[0]!.pid)
  expect(markedEnvironment(pid)).toBeDefined() // the leader of the session
  expect(isStartedByRun(pid, [])).toBe(true)
})

test('an orphan whose session has lost its leader is found by the other members', async () => {
  const pid = await pidOf(`(sleep 1000 &); (env -i PATH="$PATH" ${LIVES} &)`)
  await once(started[0]!, 'exit')
  expect(isStartedByRun(pid, [])).toBe(true)
})

test('a command that replaces its shell with a clean environment is found by the driver above it', async () => {
  const pid = await pidOf(`exec env -i PATH="$PATH" ${LIVES}`)
  expect(markedEnvironment(pid)).toBeUndefined()
  expect(isStartedByRun(pid, [])).toBe(false)
  expect(isStartedByRun(pid, [{ ...here, startTime: '1' }])).toBe(false)
  expect(isStartedByRun(pid, [here])).toBe(true)
})

test('a driver is not started by itself, nor is what it starts for the person or in its own session', async () => {
  expect(isStartedByRun(process.pid, [here])).toBe(false)
  const browser = await pidOf(LIVES, {})
  keepForPerson(browser)
  expect(isStartedByRun(browser, [here])).toBe(false)
  const helper = spawn('sleep', ['1000'])
  expect(isStartedByRun(helper.pid!, [here])).toBe(false)
  helper.kill('SIGKILL')
})

test('the outermost mark counts, with the environment that the run gave', async () => {
  const pid = await pidOf(`HOME=/elsewhere OFFSHOOT_RUN_ID=run_2 ${LIVES}; true`)
  expect(markedEnvironment(pid)).toMatchObject(MARKED)
})

test('a process of nobody, and one that has ended, have no mark', async () => {
  expect(isStartedByRun(process.pid, [])).toBe(false)
  expect(isStartedByRun(2 ** 30, [here])).toBe(false)
  expect(hasRunMark({})).toBe(false)
  expect(hasRunMark({ OFFSHOOT_RUN_ID: '' })).toBe(false)
  expect(hasRunMark({ OFFSHOOT_OWNER: 'x' })).toBe(true)
})
