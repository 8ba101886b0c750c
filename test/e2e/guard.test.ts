import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ScriptInput } from '../../src/model/model-script.ts'
import { processesWith } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

const user = new TestUser()
/** The program, its guard and its commands, whatever they call themselves. */
const processes = () => processesWith(`HOME=${user.root}`)

afterAll(() => {
  // Only after a failed test is there anything to end.
  for (const pid of processes()) process.kill(pid, 'SIGKILL')
  user.remove()
})

describe('the command of a subagent', () => {
  it('ends within ten seconds when the program was killed, without a next start', async () => {
    const program = user.start(args(`setsid sleep 1000 & touch killed; sleep 1000`))
    await expect.poll(() => existsSync(join(user.directory, 'killed')), { timeout: 30_000 }).toBe(true)
    expect(processes().length).toBeGreaterThanOrEqual(4)
    program.kill('SIGKILL')
    await program.ended
    await expect.poll(processes, { timeout: 10_000 }).toEqual([])
  })

  it('ends with the recovery when the guard was killed in the same moment', async () => {
    const program = user.start(args(`setsid sleep 1000 & touch both; sleep 1000`))
    await expect.poll(() => existsSync(join(user.directory, 'both')), { timeout: 30_000 }).toBe(true)
    const guards = processes().filter((pid) => commandLine(pid).includes('guard-process'))
    expect(guards).toHaveLength(1)
    program.kill('SIGKILL')
    process.kill(guards[0]!, 'SIGKILL')
    await program.ended
    expect(processes()).not.toEqual([])
    expect(await user.call(['recover', '--pause'])).toMatchObject({ code: 0 })
    await expect.poll(processes, { timeout: 10_000 }).toEqual([])
  })

  it('ends with the program, which leaves nothing in the background', async () => {
    const program = user.start(args(`setsid sleep 1000 & touch left; sleep 1000`))
    await expect.poll(() => existsSync(join(user.directory, 'left')), { timeout: 30_000 }).toBe(true)
    program.kill('SIGTERM')
    expect(await program.ended).toMatchObject({ code: 143 })
    expect(processes()).toEqual([])
  })

  it('leaves nothing after a run that was not disturbed', async () => {
    expect(await user.run(args('setsid sleep 1000 & true'))).toMatchObject({ code: 0, stdout: 'Done.\n' })
    expect(processes()).toEqual([])
  })
})

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
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
