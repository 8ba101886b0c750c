import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SANDBOXES } from '../support/in-cell.ts'
import { processesWith } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

let users: TestUser[]

beforeEach(() => {
  users = []
})

afterEach(() => users.forEach((user) => user.remove()))

describe('a signal', () => {
  it.each(SANDBOXES)(
    'pauses the tree, prints what there is, and leaves no process, with --sandbox %s',
    (setting, on) =>
      on(async () => {
        const [interrupted, terminated, hungUp] = await Promise.all([
          stopped('SIGINT', { setting }),
          stopped('SIGTERM', { setting }),
          stopped('SIGHUP', { setting }),
        ])
        expect([interrupted.code, terminated.code, hungUp.code]).toEqual([130, 143, 129])
        const ended = [
          [interrupted, 'user', 'by you'],
          [terminated, 'restart', 'its program exited or abandoned it'],
          [hungUp, 'restart', 'its program exited or abandoned it'],
        ] as const
        for (const [{ user, stdout, stderr }, reason, words] of ended) {
          expect(stdout).toBe('I shall wait.\n')
          expect(stderr).toMatch(
            new RegExp(`paused \\(${reason}\\)\\noffshoot: resume it: offshoot continue cnv_\\w+\\n$`),
          )
          expect(user.rows('select status, reason from runs order by depth')).toEqual([
            { status: 'paused', reason },
            { status: 'paused', reason: 'parent' },
          ])
          expect((await user.call(['ps', '--all'])).stdout).toContain(`Paused: ${words}`)
          expect(user.processes()).toEqual([])
        }
      })(),
  )

  it('that stops a fork names what goes on with the fork', async () => {
    const user = new TestUser()
    users.push(user)
    const asks = { match: '^Otherwise\\.$', toolCalls: [{ tool: 'bash', input: { command: 'sleep 1000' } }] }
    const model = user.script({ main: [{ match: '^Go\\.$', text: 'Done.' }, asks] })
    await user.call(['run', 'Go.', '-m', model])
    const [said] = user.rows("select id from messages where role = 'assistant'")
    const fork = user.start(['fork', String(said!['id']), 'Otherwise.', '-m', model, '--mode', 'auto'])
    await fork.untilStderr('sleep 1000')
    fork.kill('SIGTERM')
    expect((await fork.ended).code).toBe(143)
    const [branch] = user.rows("select id from branches where kind = 'fork'") as [{ id: string }]
    expect(fork.stderr).toContain(`resume it: offshoot continue ${branch.id}\n`)
  })

  it.each(SANDBOXES)(
    'that comes a second time cancels, even while a command does not want to end, with --sandbox %s',
    (setting, on) =>
      on(async () => {
        const command = `trap '' INT TERM; echo started; sleep 1000`
        const { code, stderr, user } = await stopped('SIGINT', { setting, command, second: 'SIGTERM' })
        expect(code).toBe(130)
        expect(stderr).toContain('offshoot: cancelled')
        expect(user.processes()).toEqual([])
      })(),
  )

  it.each([
    ['SIGINT', 'by you', 'with its parent'],
    ['SIGTERM', 'its program was asked to stop', 'its program was asked to stop'],
  ] as const)('that comes a second time, %s, is told as what it is: "%s"', async (signal, words, below) => {
    const { user } = await stopped(signal, {
      command: `trap '' INT TERM; echo started; sleep 1000`,
      second: signal,
    })
    expect(user.rows('select status from runs order by depth')).toEqual([
      { status: 'cancelled' },
      { status: 'cancelled' },
    ])
    const [{ id }] = user.rows('select conversation_id as id from runs') as [{ id: string }]
    const told = await Promise.all([user.call(['ps', '--all']), user.call(['show', id])])
    for (const { stdout } of told) {
      const lines = stdout.split('\n').filter((line) => line.includes('Cancelled: '))
      expect(lines.some((line) => line.includes(`Cancelled: ${words}`))).toBe(true)
      expect(lines.find((line) => line.includes('general'))).toContain(`Cancelled: ${below}`)
    }
  })
})

interface StopOptions {
  readonly command?: string
  readonly second?: NodeJS.Signals
  readonly setting?: 'off' | 'required'
}

/** What a signal makes of a main agent that waits for a subagent that waits for a command. */
async function stopped(
  signal: NodeJS.Signals,
  { command = 'echo started; sleep 1000', second, setting = 'off' }: StopOptions = {},
) {
  const user = new TestUser()
  users.push(user)
  const task = { subagent_type: 'general', description: 'wait', prompt: 'Wait.' }
  const script = user.script({
    main: [{ text: 'I shall wait.', toolCalls: [{ tool: 'task', input: task }] }],
    general: [{ toolCalls: [{ tool: 'bash', input: { command } }] }],
  })
  const how = ['--mode', 'auto', '--output-format', 'text', '--sandbox', setting]
  const program = user.start(['run', 'hi', '-m', script, ...how])
  await program.untilStderr('$ ')
  expect(processesWith(`OFFSHOOT_HOME=${user.home}`).length).toBeGreaterThan(0)
  program.kill(signal)
  if (second) {
    await program.untilTaken() // of two that wait together, either may be heard of first
    program.kill(second)
  }
  return { user, ...(await program.ended) }
}
