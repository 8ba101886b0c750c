import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { environmentAbove, hasRunMark, isStartedByRun, outermostOfRun } from './run-marks.ts'
import { limitScript } from './lock-limit.ts'
import { send } from './terminate-processes.ts'
import { readEntry, readEnvironment } from './process-table.ts'

const started: ChildProcess[] = []
const pids: number[] = []
afterEach(() => {
  for (const pid of [...started.splice(0).map((child) => -child.pid!), ...pids.splice(0)])
    send(pid, 'SIGKILL')
})

const MARKED = { OFFSHOOT_RUN_ID: 'run_1', HOME: '/home/of-the-person' }

/**
 * Starts a shell as a run starts its commands. Resolves with the pid that the script prints; the script keeps running.
 */
async function pidOf(script: string, env: Readonly<Record<string, string>> = MARKED): Promise<number> {
  const path = { PATH: process.env['PATH'] }
  const child = spawn('bash', ['-c', script], {
    detached: true,
    env: { ...path, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  started.push(child)
  const [data] = (await once(child.stdout, 'data')) as [Buffer]
  const pid = Number(data.toString())
  pids.push(pid)
  return pid
}

/** Prints its pid, and runs until it is killed. */
const LIVES = `sh -c 'echo $$; exec sleep 1000'`

test.each([
  ['a command', `echo $$; exec sleep 1000`],
  ['a shell in it', `${LIVES}; true`],
  ['a clean environment below a shell', `env -i PATH="$PATH" ${LIVES}; true`],
  ['a session of its own', `setsid ${LIVES}; true`],
  ['nohup', `nohup ${LIVES}; true`],
  [
    'a living parent two levels up',
    `env -i PATH="$PATH" setsid sh -c "${LIVES.replaceAll('$', '\\$')}; true"; true`,
  ],
])('%s counts as started by the run', async (_, script) => {
  const pid = await pidOf(script)
  expect(isStartedByRun(pid)).toBe(true)
})

test('an orphan in the session of the command counts as started by the run', async () => {
  // `true` keeps bash from exec-ing sleep: during exec a process briefly has no environment
  const pid = await pidOf(`(env -i PATH="$PATH" ${LIVES} &) ; sleep 1000; true`)
  expect(readEntry(pid)!.parentPid).not.toBe(started[0]!.pid)
  expect(outermostOfRun(pid)?.pid).toBe(started[0]!.pid) // the session leader
  expect(isStartedByRun(pid)).toBe(true)
})

const CLEAN = `env -i PATH="$PATH"`

test.each([
  ['replaces its shell', `exec ${CLEAN} ${LIVES}`],
  ['is an orphan in a session of its own', `(${CLEAN} setsid ${LIVES} &)`],
  ['has lowered its limit further', `ulimit -x 5; exec ${CLEAN} ${LIVES}`],
])('a clean command that %s is found by its limit', async (_, script) => {
  const unlimited = await pidOf(script.replace('ulimit -x 5; ', ''))
  expect(isStartedByRun(unlimited)).toBe(false)
  for (const shell of ['sh', 'bash']) {
    const inner = script.replaceAll("'", `'\\''`)
    expect(
      isStartedByRun(await pidOf(`${shell} -c '${limitScript(MARKED)}; bash -c "$1"' x '${inner}'`)),
    ).toBe(true)
  }
})

test('a process that the program starts outside a run does not count', async () => {
  expect(isStartedByRun(process.pid)).toBe(false)
  expect(isStartedByRun(await pidOf(LIVES, {}))).toBe(false)
})

test.each([
  ['below the command', `HOME=/elsewhere OFFSHOOT_RUN_ID=run_2 ${LIVES}; true`],
  ['in place of the command', `exec env HOME=/elsewhere OFFSHOOT_RUN_ID=run_2 ${LIVES}`],
])(
  'a process that names another run %s gets its environment from above the outermost process',
  async (_, script) => {
    const pid = await pidOf(script)
    expect(outermostOfRun(pid)?.pid).toBe(started[0]!.pid)
    expect(environmentAbove(pid)).toEqual(readEnvironment(process.pid))
  },
)

test('an orphan in its own session takes no environment from its descendants', async () => {
  const pid = await pidOf(
    `env HOME=/elsewhere OFFSHOOT_RUN_ID=run_2 setsid -f sh -c 'while [ "$(cat /proc/$PPID/comm 2>&1)" = setsid ]; do :; done; echo $$; exec sleep 1000'; sleep 1000; true`,
  )
  expect(outermostOfRun(pid)?.pid).toBe(pid)
  expect(environmentAbove(pid)?.['HOME']).not.toBe('/elsewhere')
})

test('an unrelated process and an exited process have no mark', async () => {
  expect(isStartedByRun(process.pid)).toBe(false)
  expect(isStartedByRun(2 ** 30)).toBe(false)
  expect(hasRunMark({})).toBe(false)
  expect(hasRunMark({ OFFSHOOT_RUN_ID: '' })).toBe(false)
  expect(hasRunMark({ OFFSHOOT_OWNER: 'x' })).toBe(true)
})
