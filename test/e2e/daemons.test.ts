import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { listProcesses } from '../../src/exec/process-table.ts'
import type { ScriptInput } from '../../src/model/model-script.ts'
import { SANDBOXES } from '../support/in-cell.ts'
import { commandLine, type StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

/** A killed program leaves nothing after ten seconds. */
const IN_TIME = { timeout: 10_000, interval: 50 }
const STARTED = { timeout: 30_000, interval: 50 }

/**
 * Each ends up with its parents gone, its environment empty and its session its own. TIME finds the process: it is in the
 * command line of `sleep`, and of nothing else on the machine.
 */
const DAEMONS = {
  'a shell that ignores SIGTERM': `env -i setsid setsid sh -c 'trap "" TERM; sleep TIME' &`,
  nohup: `nohup env -i setsid sleep TIME > /dev/null 2>&1 &`,
  'setsid -f': `env -i setsid -f sleep TIME`,
  'a double fork without descriptors': `env -i setsid sh -c '(sleep TIME <&- >&- 2>&- &)'`,
  'another name': `(exec env -i bash -c 'exec -a kworker setsid sleep TIME' &)`,
  'a detached child of Node': `NODE -e "require('node:child_process').spawn('sleep', ['TIME'], { detached: true, stdio: 'ignore', env: {} }).unref()"`,
  'a marked environment of its own': `env -i OFFSHOOT_OWNER=x OFFSHOOT_RUN_ID=y setsid sleep TIME &`,
}

const NAMES = Object.keys(DAEMONS)

interface Daemon {
  readonly name: string
  readonly time: string
  readonly command: string
}

const users: TestUser[] = []
const programs: StartedProgram[] = []
const daemons: Daemon[] = []

afterEach(() => {
  // Only after a failed test is there anything to end.
  for (const program of programs.splice(0)) program.kill('SIGKILL')
  for (const pid of daemons.splice(0).flatMap(processesOf)) process.kill(pid, 'SIGKILL')
})

afterAll(() => users.forEach((user) => user.remove()))

describe.each(SANDBOXES)('daemons of a run, with --sandbox %s', (setting, on) => {
  const startAfter = (...calls: readonly JsonObject[]) => startAfterIn(setting, calls)
  const newDaemons = () => newDaemonsIn(setting)

  it(
    'end with the program',
    on(async () => {
      const { user, program, all } = await startAfter()
      expect(living(all)).toEqual(NAMES)
      user.write('go', '')
      expect(await program.ended).toMatchObject({ code: 0, stdout: 'Done.\n' })
      expect(living(all)).toEqual([])
    }),
  )

  it(
    'end with a program that is killed',
    on(async () => {
      const { program, all } = await startAfter()
      program.kill('SIGKILL')
      await program.ended
      await expect.poll(() => living(all), IN_TIME).toEqual([])
    }),
  )

  it(
    setting === 'off'
      ? 'end with the recovery when the guard was killed in the same moment'
      : 'end without a recovery when the guard was killed in the same moment',
    on(async () => {
      const { user, program, all } = await startAfter()
      const guard = guardOf(program)
      program.kill('SIGKILL')
      process.kill(guard, 'SIGKILL')
      await program.ended
      if (setting === 'off') expect(living(all)).toEqual(NAMES)
      else await expect.poll(() => living(all), IN_TIME).toEqual([])
      expect(await user.call(['recover', '--pause'])).toMatchObject({ code: 0 })
      expect(living(all)).toEqual([])
    }),
  )

  it(
    'end with the call that times out, and with no other',
    on(async () => {
      const late = newDaemons()
      const { user, program, all } = await startAfter({
        command: `${commandOf(late)}touch left; sleep 1000`,
        timeout_ms: 5_000,
      })
      expect(existsSync(join(user.directory, 'left'))).toBe(true)
      expect([living(all), living(late)]).toEqual([NAMES, []])
      user.write('go', '')
      expect(await program.ended).toMatchObject({ code: 0 })
      expect(living(all)).toEqual([])
    }),
  )

  it(
    'end with the run that is cancelled, and with no other',
    on(async () => {
      const user = newUser()
      const [above, below] = [newDaemons(), newDaemons()]
      const task = { subagent_type: 'general', description: 'wait', prompt: 'Wait.' }
      const program = start(user, setting, {
        main: [
          bash({ command: commandOf(above) }),
          { toolCalls: [{ tool: 'task', input: task }] },
          bash(WAIT),
          { text: 'Done.' },
        ],
        general: [bash({ command: commandOf(below) }), bash({ command: 'touch left; sleep 1000' })],
      })
      await untilThere(user, 'left')
      await expect.poll(() => [living(above), living(below)]).toEqual([NAMES, NAMES])
      const [run] = user.rows('SELECT branch_id FROM runs WHERE depth = 1')
      expect(await user.call(['cancel', String(run!['branch_id'])])).toMatchObject({ code: 0 })
      await untilThere(user, 'waits')
      expect([living(above), living(below)]).toEqual([NAMES, []])
      user.write('go', '')
      expect(await program.ended).toMatchObject({ code: 0 })
      expect(living(above)).toEqual([])
    }),
  )

  it(
    'live on when another program ends',
    on(async () => {
      const [first, second] = await Promise.all([startAfter(), startAfter()])
      const before = second.all.flatMap(processesOf)
      first.user.write('go', '')
      expect(await first.program.ended).toMatchObject({ code: 0 })
      expect(living(first.all)).toEqual([])
      expect(second.all.flatMap(processesOf)).toEqual(before)
      second.program.kill('SIGKILL')
      await expect.poll(() => living(second.all), IN_TIME).toEqual([])
    }),
  )
})

const WAIT = { command: 'touch waits; until [ -e go ]; do sleep 0.05; done' }

/** A program whose first call leaves the daemons. It makes the other calls and waits until the file `go` is there. */
async function startAfterIn(setting: Setting, calls: readonly JsonObject[]) {
  const [user, all] = [newUser(), newDaemonsIn(setting)]
  const turns = [{ command: commandOf(all) }, ...calls, WAIT].map(bash)
  const program = start(user, setting, { '*': [...turns, { text: 'Done.' }] })
  await untilThere(user, 'waits')
  await expect.poll(() => living(all)).toEqual(NAMES)
  return { user, program, all }
}

type Setting = (typeof SANDBOXES)[number][0]
type JsonObject = Readonly<Record<string, string | number>>

function bash(input: JsonObject) {
  return { toolCalls: [{ tool: 'bash', input: { ...input } }] }
}

function newUser(): TestUser {
  users.push(new TestUser())
  return users.at(-1)!
}

function start(user: TestUser, setting: Setting, agents: ScriptInput['agents']): StartedProgram {
  const how = ['--mode', 'auto', '--sandbox', setting]
  programs.push(user.start(['run', 'Go.', '-m', user.script(agents), ...how]))
  return programs.at(-1)!
}

async function untilThere(user: TestUser, file: string): Promise<void> {
  await expect.poll(() => existsSync(join(user.directory, file)), STARTED).toBe(true)
}

function newDaemonsIn(setting: Setting): Daemon[] {
  const node = setting === 'off' ? process.execPath : '/run/offshoot/node'
  const all = Object.entries(DAEMONS).map(([name, command]) => {
    const time = `6777.${randomInt(2 ** 40)}`
    return { name, time, command: command.replaceAll('TIME', time).replace('NODE', node) }
  })
  daemons.push(...all)
  return all
}

function commandOf(all: readonly Daemon[]): string {
  return all.map(({ command }) => `${command}\n`).join('')
}

/** The names of those that live. */
function living(all: readonly Daemon[]): string[] {
  return all.filter((each) => processesOf(each).length > 0).map(({ name }) => name)
}

function processesOf({ time }: Daemon): number[] {
  return listProcesses()
    .filter((each) => !each.zombie && commandLine(each.pid).endsWith(` ${time}`))
    .map((each) => each.pid)
}

function guardOf(program: StartedProgram): number {
  const isGuard = (pid: number) => commandLine(pid).includes('guard-process')
  return listProcesses().find((each) => each.parentPid === program.pid && isGuard(each.pid))!.pid
}
