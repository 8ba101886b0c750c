import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { limitScript } from '../../exec/lock-limit.ts'
import { keepRunOf } from '../../exec/own-commands.ts'
import { send } from '../../exec/terminate-processes.ts'
import { systemProcesses } from './process-identity.ts'
import { startingRun } from './starting-run.ts'

const started: ChildProcess[] = []
afterEach(() => {
  for (const { pid } of started.splice(0)) send(-pid!, 'SIGKILL')
})

/** Starts a shell script; resolves with the pids that it prints on one line. */
async function start(script: string) {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  started.push(child)
  const [data] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, pids: data.toString().trim().split(' ').map(Number) }
}

/** A command of a run as it is started, in whose place another program with a mark of its own choice now runs. */
const COMMAND = `${limitScript({ OFFSHOOT_RUN_ID: 'run_a' })}; exec env OFFSHOOT_RUN_ID=run_b sleep 1000`

/** A program with commands that go on. */
async function program(commands: number) {
  const each = Array.from({ length: commands }, () => `sh -c '${COMMAND}' & pids="$pids $!"`)
  const { child, pids } = await start(`${each.join('; ')}; echo $pids; wait`)
  await expect.poll(() => pids.every((pid) => isSleeping(pid))).toBe(true)
  return { pid: child.pid!, pids }
}

function isSleeping(pid: number): boolean {
  return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'sleep'
}

interface Driven {
  /** The process that drives all of it. */
  readonly pid: number
  /** The runs of calls that go on. */
  readonly calls: readonly string[]
}

function rows({ pid, calls }: Driven) {
  const { self, startOf } = systemProcesses()
  const lease = { ...self, pid, pidStart: startOf(pid), conversationId: 'cnv_1' }
  const tables: Record<string, readonly Record<string, unknown>[]> = {
    leases: [lease],
    tool_calls: calls.map((runId) => ({ conversationId: 'cnv_1', runId, tool: 'bash', status: 'running' })),
    runs: ['run_a', 'run_b'].map((id) => ({ id })),
  }
  return {
    get: (table: string, id: string) => tables[table]!.find((row) => row['id'] === id),
    find: (table: string, { where }: { where: object }) =>
      tables[table]!.filter((row) => Object.entries(where).every(([name, value]) => row[name] === value)),
  } as unknown as Parameters<typeof startingRun>[0]
}

test('a command of this process is of the run for which it was started', async () => {
  const { child, pids } = await start(`echo $$; ${COMMAND}`)
  await expect.poll(() => isSleeping(pids[0]!)).toBe(true)
  const nothing = rows({ pid: 1, calls: [] })
  expect(startingRun(nothing, pids[0]!)).toBeUndefined()
  keepRunOf(child, 'run_a')
  expect(startingRun(nothing, pids[0]!)).toEqual({ id: 'run_a' })
})

test('a command of another program is of the only run that has commands', async () => {
  const { pid, pids } = await program(1)
  expect(startingRun(rows({ pid, calls: ['run_a'] }), pids[0]!)).toEqual({ id: 'run_a' })
})

test.each([
  ['two runs have commands', 2, ['run_a', 'run_b']],
  ['a process is of a call that is over', 2, ['run_a']],
  ['no command goes on', 1, []],
])('where %s the run is not certain', async (_, commands, calls) => {
  const { pid, pids } = await program(commands)
  for (const each of pids) expect(startingRun(rows({ pid, calls }), each)).toBeUndefined()
})

test('several commands of one run are of that run', async () => {
  const { pid, pids } = await program(2)
  for (const each of pids)
    expect(startingRun(rows({ pid, calls: ['run_a', 'run_a'] }), each)).toEqual({ id: 'run_a' })
})

test('a process that has lost its parents is of no certain run', async () => {
  const { pid, pids } = await program(1)
  expect(startingRun(rows({ pid: 1, calls: ['run_a'] }), pids[0]!)).toBeUndefined()
  const { pids: orphans } = await start(
    `setsid -f sh -c 'while [ "$(cat /proc/$PPID/comm 2>&1)" = setsid ]; do :; done; echo $$; ${COMMAND}'`,
  )
  await expect.poll(() => isSleeping(orphans[0]!)).toBe(true)
  expect(startingRun(rows({ pid, calls: ['run_a'] }), orphans[0]!)).toBeUndefined()
  send(orphans[0]!, 'SIGKILL')
})

test('a person has no run', () => {
  expect(startingRun(rows({ pid: process.pid, calls: ['run_a'] }), process.pid)).toBeUndefined()
})
