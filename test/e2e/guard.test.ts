import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ScriptInput } from '../../src/model/model-script.ts'
import { SANDBOXES } from '../support/in-cell.ts'
import { processesWith } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

const user = new TestUser()
/** The program, its guard and its commands, whatever they call themselves, and what starts a cell. */
const processes = () => [
  ...processesWith(`HOME=${user.root}`),
  ...[...owners].flatMap((owner) => processesWith(owner)),
]
/** OFFSHOOT_OWNER=..., of programs that were seen. */
const owners = new Set<string>()

afterAll(() => {
  // Only after a failed test is there anything to end.
  for (const pid of processes()) process.kill(pid, 'SIGKILL')
  user.remove()
})

describe.each(SANDBOXES)('the command of a subagent, with --sandbox %s', (setting, on) => {
  /** Until it has made this file. */
  async function started(command: string, made: string) {
    const program = user.start([...args(command), '--sandbox', setting])
    await expect.poll(() => existsSync(join(user.directory, made)), { timeout: 30_000 }).toBe(true)
    const [own] = processesWith(`HOME=${user.root}`).flatMap(ownerIn)
    owners.add(own!)
    return program
  }

  it(
    'ends within ten seconds when the program was killed, without a next start',
    on(async () => {
      const program = await started(
        `setsid sleep 1000 & touch killed-${setting}; sleep 1000`,
        `killed-${setting}`,
      )
      expect(processes().length).toBeGreaterThanOrEqual(4)
      program.kill('SIGKILL')
      await program.ended
      await expect.poll(processes, { timeout: 10_000 }).toEqual([])
    }),
  )

  it(
    setting === 'off'
      ? 'has its grace when the program was killed'
      : 'has no grace when the program was killed: the kernel ends the cell at once',
    on(async () => {
      const trap = `trap 'echo bye > bye-${setting}; exit' TERM; touch trap-${setting}; sleep 1000 & wait`
      const program = await started(trap, `trap-${setting}`)
      program.kill('SIGKILL')
      await program.ended
      await expect.poll(processes, { timeout: 10_000 }).toEqual([])
      expect(existsSync(join(user.directory, `bye-${setting}`))).toBe(setting === 'off')
    }),
  )

  it(
    setting === 'off'
      ? 'ends with the recovery when the guard was killed in the same moment'
      : 'ends without a recovery when the guard was killed in the same moment',
    on(async () => {
      const program = await started(
        `setsid sleep 1000 & touch both-${setting}; sleep 1000`,
        `both-${setting}`,
      )
      const guards = processes().filter((pid) => commandLine(pid).includes('guard-process'))
      expect(guards).toHaveLength(1)
      program.kill('SIGKILL')
      process.kill(guards[0]!, 'SIGKILL')
      await program.ended
      if (setting === 'off') expect(processes()).not.toEqual([])
      else await expect.poll(processes, { timeout: 10_000 }).toEqual([])
      expect(await user.call(['recover', '--pause'])).toMatchObject({ code: 0 })
      await expect.poll(processes, { timeout: 10_000 }).toEqual([])
    }),
  )

  it(
    'ends with the program, which leaves nothing in the background',
    on(async () => {
      const program = await started(
        `setsid sleep 1000 & touch left-${setting}; sleep 1000`,
        `left-${setting}`,
      )
      program.kill('SIGTERM')
      expect(await program.ended).toMatchObject({ code: 143 })
      expect(processes()).toEqual([])
    }),
  )

  it(
    'leaves nothing after a run that was not disturbed',
    on(async () => {
      const run = await user.run([...args('setsid sleep 1000 & true'), '--sandbox', setting])
      expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' })
      expect(processes()).toEqual([])
    }),
  )
})

function ownerIn(pid: number): string[] {
  const entries = read(pid, 'environ').split('\0')
  return entries.filter((entry) => entry.startsWith('OFFSHOOT_OWNER='))
}

const commandLine = (pid: number) => read(pid, 'cmdline')

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return '' // it has just ended
  }
}

/** A main run whose subagent runs the command. */
function args(command: string): string[] {
  const task = { subagent_type: 'general', description: 'run it', prompt: 'Run it.' }
  const agents: ScriptInput['agents'] = {
    main: [{ toolCalls: [{ tool: 'task', input: task }] }, { text: 'Done.' }],
    general: [{ toolCalls: [{ tool: 'bash', input: { command } }] }, { text: 'It ran.' }],
  }
  return ['run', 'Run it.', '-m', user.script(agents), '--mode', 'auto']
}
