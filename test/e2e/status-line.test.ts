import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

/** Goes on when the file `NAME.go` is there. */
const WAIT = '#!/bin/sh\nwhile [ ! -e "$1.go" ]; do sleep 0.02; done\necho "waited $1"\n'

let user: TestUser

beforeEach(async () => {
  user = new TestUser({ 'wait.sh': WAIT, 'offshoot.jsonc': config() })
  await user.trust()
})

afterEach(() => user.remove())

function config(more: object = {}): string {
  return JSON.stringify({
    permissions: [{ tool: 'bash', pattern: 'sh wait.sh *', action: 'allow' }],
    ...more,
  })
}

const task = (name: string, more: object = {}) => ({
  tool: 'task',
  input: { subagent_type: 'general', description: `task ${name}`, prompt: `Do ${name}.`, ...more },
})
const waits = (name: string) => ({
  match: `^Do ${name}\\.$`,
  toolCalls: [{ tool: 'bash', input: { command: `sh wait.sh ${name}` } }],
})

interface Listed {
  readonly id: string
  readonly branchId: string
  readonly conversationId: string
  readonly task: string
  readonly statusLine: {
    readonly state: string
    readonly detail: string | null
    readonly verb: object | null
  }
}

function start(agents: Parameters<TestUser['script']>[0], format = 'text'): StartedProgram {
  return user.start(['run', 'Go.', '-m', user.script(agents), '--output-format', format])
}

async function listed(): Promise<Listed[]> {
  return JSON.parse((await user.call(['ps', '--all', '--json'])).stdout) as Listed[]
}

async function runOf(name: string): Promise<Listed> {
  return (await listed()).find((run) => run.task === name)!
}

const begun = (program: StartedProgram, name: string) => program.untilStderr(`$ sh wait.sh ${name}`)
const release = (name: string) => user.write(`${name}.go`, '')

/** The line of `ps` and that of `show` about a branch, in which the same has to stand. */
async function bothSay(name: string, text: RegExp): Promise<void> {
  const run = await runOf(name)
  const ps = (await user.call(['ps', '--all'])).stdout.split('\n').find((line) => line.startsWith(run.id))
  const show = (await user.call(['show', run.conversationId])).stdout
  const shown = show.split('\n').find((line) => line.includes(run.branchId))
  expect.soft(ps, `ps of ${name}`).toMatch(text)
  expect.soft(shown, `show of ${name}`).toMatch(text)
}

describe('the status line, told the same by ps, show and the live tree', () => {
  it('of a parent says how many of its subagents are left, and what became of the others', async () => {
    const run = start({
      main: [{ toolCalls: ['a', 'b', 'c'].map((name) => task(name)) }, { text: 'Done.' }],
      general: ['a', 'b', 'c'].map(waits),
    })
    for (const name of ['a', 'b', 'c']) await begun(run, name)
    for (const name of ['task a', 'task b']) await user.call(['cancel', (await runOf(name)).branchId])
    await bothSay('main', /Waiting for 1 of 3 subagents: 2 cancelled, for \d+s/)
    await bothSay('task c', /Running: \$ sh wait\.sh c, for \d+s/)
    await bothSay('task a', /Cancelled: by you|0 tools|1 tool/)
    release('c')
    expect(await run.ended).toMatchObject({ code: 0, stdout: 'Done.\n' })
  }, 60_000)

  it('of a pause that is on its way says who asked, and how to take it back', async () => {
    const run = start({
      main: [{ toolCalls: [task('a', { run_in_background: true })] }, { text: 'Done.' }, { text: 'Read.' }],
      general: [waits('a'), { text: 'Waited.' }],
    })
    await begun(run, 'a')
    const { branchId } = await runOf('task a')
    await user.call(['pause', branchId])
    await run.untilStderr('Pausing: asked by you; first: $ sh wait.sh a')
    await bothSay(
      'task a',
      new RegExp(`Pausing: asked by you; first: \\$ sh wait\\.sh a · .*offshoot continue ${branchId}`),
    )
    await user.call(['continue', branchId])
    await bothSay('task a', /Running: \$ sh wait\.sh a, for/)
    release('a')
    expect(await run.ended).toMatchObject({ code: 0 })
  }, 60_000)

  it('of a provider that refuses names it, says why, and when it is asked again', async () => {
    const run = start({
      main: [{ toolCalls: [task('a'), task('b')] }, { text: 'Done.' }],
      general: [
        { match: '^Do a', error: { status: 429, retryAfter: 300 } },
        { match: '^Do b', delayMs: 500, toolCalls: [{ tool: 'bash', input: { command: 'sh wait.sh b' } }] },
      ],
    })
    release('b')
    const said = /Waiting for the provider: scripted is paused: .*429.*, tries again in [45]m/
    await run.untilStderr('Waiting for the provider: scripted is paused')
    await expect.poll(async () => (await runOf('task b')).statusLine.state).toBe('Waiting for the provider')
    for (const name of ['task a', 'task b']) await bothSay(name, said)
    await bothSay('main', /Waiting for 2 subagents, for/)
    run.kill('SIGINT')
    expect(await run.ended).toMatchObject({ code: 130 })
    await bothSay('task a', /Paused: with its parent, since \d{4}-\d\d-\d\d \d\d:\d\d/)
    await bothSay('main', /Paused: by you; 2 subagents paused, since .*offshoot continue brn_/)
  }, 60_000)

  it('of the queue gives each its own place, and says of how many', async () => {
    user.write('offshoot.jsonc', config({ limits: { maxConcurrent: 1 } }))
    await user.trust()
    const run = start({
      main: [{ toolCalls: ['a', 'b', 'c'].map((name) => task(name)) }, { text: 'Done.' }],
      general: ['a', 'b', 'c'].map(waits),
    })
    await begun(run, 'a')
    await run.untilStderr('Queued (number 2 of 2)')
    await bothSay('task b', /Queued \(number 1 of 2\)/)
    await bothSay('task c', /Queued \(number 2 of 2\)/)
    for (const name of ['a', 'b', 'c']) release(name)
    await run.ended
  }, 60_000)

  it('after kill -9 says that the process exited, and the verb that helps', async () => {
    const run = start({
      main: [{ toolCalls: [task('a'), task('b')] }],
      general: [waits('a'), waits('b')],
    })
    await begun(run, 'a')
    run.kill('SIGKILL')
    await run.ended
    await bothSay('task a', /Left behind: its process exited while it was running.* offshoot recover/)
    await bothSay('main', /Left behind: its process exited while it was waiting.* offshoot recover/)
    const { id } = await runOf('task a')
    expect((await user.call(['show', id])).stdout).toContain('Left behind: its process exited')
  }, 60_000)

  it('has figures of one thing: of the branch in show, of the run alone in ps', async () => {
    const script = user.script({
      main: [{ toolCalls: [task('a')] }, { text: 'One.' }, { text: 'Two.' }],
      general: [{ text: 'A.' }],
    })
    await user.call(['run', 'Go.', '-m', script])
    const { conversationId } = await runOf('main')
    const second = user.script({ main: [{ text: 'Two.' }] }, 'second.json')
    await user.call(['run', 'More.', '-m', second, '--conversation', conversationId])
    const show = (await user.call(['show', conversationId])).stdout
    expect(show).toMatch(/● main · Done · 2 runs: 3 turns · 1 tool · brn_/)
    const ps = (await user.call(['ps', '--all'])).stdout
    expect(ps).toMatch(/main +Go\. +2\/\d+ turns +1 tool +\S+ +with subagents: 1 tool/)
    expect(ps).toMatch(/main +Go\. +1\/\d+ turns +0 tools/)
  }, 60_000)
})

describe('a run that completes while a subagent of it is paused', () => {
  const agents = {
    main: [{ toolCalls: [task('a', { run_in_background: true })] }, { text: 'Done.' }],
    general: [waits('a'), { text: 'Waited.' }],
  }

  async function ended(format: string) {
    const run = start(agents, format)
    await expect
      .poll(async () => (await listed()).some((each) => each.statusLine.detail === '$ sh wait.sh a'))
      .toBe(true)
    const { branchId } = await runOf('task a')
    await user.call(['pause', branchId])
    release('a')
    const result = await run.ended
    expect(result).toMatchObject({ code: 0 })
    return { ...result, branchId }
  }

  it('says so on stderr where the output is text, with the command that goes on with it', async () => {
    const { stdout, stderr, branchId } = await ended('text')
    expect(stdout).toBe('Done.\n')
    expect(stderr).toContain(
      `offshoot: subagent general (task a) is paused (user): offshoot continue ${branchId}\n`,
    )
    await bothSay('main', new RegExp(`Done: 1 subagent paused.* offshoot continue ${branchId}`))
  }, 60_000)

  it('has the command at the event of the pause', async () => {
    const { stdout, branchId } = await ended('events')
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    const command = `offshoot continue ${branchId}`
    expect(events).toContainEqual(expect.objectContaining({ type: 'run.paused', branchId, command }))
  }, 60_000)

  it.each(['json', 'stream-json'])(
    'says so in %s',
    async (format) => {
      const { stdout, branchId } = await ended(format)
      const document = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as object
      expect(document).toMatchObject({
        paused_subagents: [
          {
            task_id: branchId,
            agent: 'general',
            description: 'task a',
            reason: 'user',
            end_reason: 'user',
            command: `offshoot continue ${branchId}`,
          },
        ],
      })
    },
    60_000,
  )
})
