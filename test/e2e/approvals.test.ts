import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

const PAYLOADS = readFileSync(join(import.meta.dirname, 'fixtures/terminal-payloads.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => (JSON.parse(line) as { payload: string }).payload)

const CHOICES = '[n] deny  [e] deny with a note: '

let users: TestUser[]

beforeEach(() => {
  users = []
})

afterEach(() => users.forEach((user) => user.remove()))

describe('where nobody can answer', () => {
  it('a call that needs an approval is denied at once, the model is told, and the exit code is 5', async () => {
    const user = someone()
    const script = user.script({
      main: [makesFile(), { match: 'nobody can answer here', text: 'Not done.' }],
    })
    const { code, stdout, stderr } = await user.run(['run', 'hi', '-m', script, '--output-format', 'json'])
    expect(code).toBe(5)
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      text: 'Not done.',
      permission_denials: [{ agent: 'main', tool: 'bash', title: '$ touch made.txt' }],
    })
    expect(stderr).toMatch(/^denied: main: \$ touch made\.txt: .*nobody can answer/m)
    expect(existsSync(join(user.directory, 'made.txt'))).toBe(false)
  })

  it('is also a terminal that is not to be asked', async () => {
    const user = someone()
    const script = user.script({
      main: [makesFile(), { match: 'nobody can answer here', text: 'Not done.' }],
    })
    const args = ['run', 'hi', '-m', script, '--approvals', 'deny']
    const ended = await user.terminal(args, { env: { NO_COLOR: '1' } }).ended
    expect(ended).toMatchObject({ code: 5, stdout: expect.stringContaining('Not done.') })
    expect(ended.stdout).not.toMatch(/\u001b\[\d+m/)
  })
})

describe('what a run that is taken up asks at once', () => {
  it.each([
    [['-m', 'offline'], 'keeps its model scripted:'],
    [['--agent', 'explore'], 'keeps its agent main'],
  ])('is not left unseen by a command with %j, which is refused', async (options, why) => {
    const user = someone()
    const model = user.script({ main: [makesFile(), { text: 'Done.' }] })
    const left = user.start(['run', 'hi', '-m', model, '--approvals', 'wait'])
    await left.untilStderr('offshoot approve')
    left.kill('SIGKILL')
    await left.ended
    const before = user.rows('SELECT id, status FROM runs')
    const { code, stderr } = await user.call(['-c', 'What happened?', ...options, '--approvals', 'wait'])
    expect(code).toBe(1)
    expect(stderr).toContain(why)
    expect(user.rows('SELECT id, status FROM runs')).toEqual(before)
  })

  it('waits for an answer, though the command has not said yet what it took up', async () => {
    const user = someone()
    const script = (...turns: readonly object[]) => user.script({ main: turns as never })
    const model = script({ toolCalls: [{ tool: 'bash', input: { command: 'sleep 600' } }] })
    const left = user.start(['run', 'hi', '-m', model, '--mode', 'auto', '--output-format', 'events'])
    await left.untilStdout('"tool.started"')
    left.kill('SIGKILL')
    await left.ended
    script(makesFile(), { text: 'Done.' }, { text: 'Done.' })
    const [{ id }] = user.rows('SELECT id FROM conversations') as [{ id: string }]
    const status = () =>
      user.rows("SELECT status FROM tool_calls WHERE title = '$ touch made.txt'")[0]?.['status']
    const decided = vi.waitFor(() => expect(status()).toBeDefined(), { timeout: 20_000, interval: 10 })
    const options = { stderrHeld: { at: 'recovered', until: decided } }
    const args = ['run', 'go on', '--conversation', id, '-m', model, '--mode', 'ask', '--approvals', 'wait']
    const going = user.call(args, options)
    await decided
    expect(status()).toBe('awaiting_approval')
    const [{ id: approval }] = user.rows('SELECT id FROM approvals') as [{ id: string }]
    expect(await user.call(['approve', approval, 'once'])).toMatchObject({ code: 0 })
    const { code, stderr } = await going
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(approval) })
    expect(existsSync(join(user.directory, 'made.txt'))).toBe(true)
  })
})

describe('on a terminal', () => {
  it('the question says who wants what, where and why; the answer counts, and a note reaches the model', async () => {
    const [once, denied, noted, closed] = await Promise.all([
      answered(async (program) => program.type('1')),
      answered(async (program) => program.type('n')),
      answered(async (program) => {
        program.type('x')
        await program.untilStdout('  x is not an answer\r\n')
        program.type('e')
        await program.untilStdout('  note: ')
        program.type('use the other file\r')
      }),
      answered(async (program) => program.type('\u0004')),
    ])
    for (const { shown, user } of [once, denied, noted, closed]) {
      expect(shown).toContain('⚑ main > general needs you (#1, 1 of 1): $ touch made.txt')
      expect(shown).toContain(
        `  in ${user.directory}\r\n  runs without a sandbox: with your rights\r\n  because: no rule matches, and bash asks by default`,
      )
      expect(user.processes()).toEqual([])
    }
    expect(once).toMatchObject({ code: 0, made: true, told: expect.stringContaining('exit code 0') })
    expect(denied).toMatchObject({ code: 0, made: false, told: 'denied by User (terminal)' })
    expect(noted).toMatchObject({
      code: 0,
      made: false,
      told: 'denied by User (terminal): use the other file',
    })
    expect(closed).toMatchObject({
      code: 0,
      made: false,
      told: 'denied by User (terminal): the terminal was closed',
    })
  })

  it('what was typed before the question is no answer to it', async () => {
    const user = someone()
    const script = user.script({ main: [makesFile(), { text: 'Tried.' }] })
    const program = user.terminal(['run', 'hi', '-m', script])
    program.type('1\r1')
    await program.untilStdout('1\r\n1')
    await program.untilStdout(CHOICES)
    program.type('n\r')
    await program.ended
    expect(existsSync(join(user.directory, 'made.txt'))).toBe(false)
  })

  it('what was typed between two questions is no answer to the second', async () => {
    const user = someone()
    const script = user.script({ main: [makesFile(), makesFile(), { text: 'Tried.' }] })
    const program = user.terminal(['run', 'hi', '-m', script])
    await program.untilStdout(CHOICES)
    program.type('n1')
    await program.untilStdout((all) => all.split(CHOICES).length === 3)
    program.type('n')
    await program.ended
    expect(user.rows('SELECT DISTINCT answer FROM approvals')).toEqual([{ answer: 'deny' }])
    expect(existsSync(join(user.directory, 'made.txt'))).toBe(false)
  })

  it('says why a longer answer is not offered', async () => {
    const user = someone()
    const call = { tool: 'bash', input: { command: 'touch made.txt && rm a.txt' } }
    const script = user.script({ main: [{ toolCalls: [call] }, { text: 'Tried.' }] })
    const program = user.terminal(['run', 'hi', '-m', script])
    await program.untilStdout(CHOICES)
    expect(program.stdout).toContain('  only once: no pattern covers this call safely')
    program.type('3')
    await program.untilStdout('  3 is not offered here\r\n')
    program.type('N')
    expect((await program.ended).code).toBe(0)
    expect(existsSync(join(user.directory, 'made.txt'))).toBe(false)
  })

  it('Ctrl-C at the question pauses the tree and ends the program with 130', async () => {
    const { code, made, shown, user } = await answered(async (program) => program.type('\u0003'))
    expect({ code, made }).toEqual({ code: 130, made: false })
    expect(shown).toMatch(/paused \(user\)[^]*resume it: offshoot continue cnv_/)
    expect(user.rows('select distinct status from runs')).toEqual([{ status: 'paused' }])
    expect(user.rows('select count(*) as open from approvals where answer is null')).toEqual([{ open: 0 }])
    expect(user.processes()).toEqual([])
  })

  it('no secret is shown in a question, in a title or in the lines of progress', async () => {
    const user = someone()
    const hidden = 'A1b2C3d4'.repeat(5)
    const secret = `ghp_${hidden}`
    const command = `curl -u me:${secret} http://127.0.0.1:9/; rm -rf made`
    const script = user.script({
      main: [
        {
          toolCalls: [
            { tool: 'task', input: { subagent_type: 'explore', description: secret, prompt: secret } },
          ],
        },
        { toolCalls: [{ tool: 'bash', input: { command, description: secret } }] },
        { text: `end ${secret}`, chunks: 9 },
      ],
      explore: [{ toolCalls: [{ tool: 'grep', input: { pattern: secret } }] }, { text: secret }],
    })
    const program = user.terminal(['run', secret, '-m', script])
    await program.untilStdout(CHOICES)
    program.type('n\r')
    const { code, stdout } = await program.ended
    expect(code).toBe(0)
    expect(stdout).not.toContain(hidden)
    expect(stdout).toContain(`ghp_${'•'.repeat(hidden.length)}`)
    expect(stdout).toContain('rm -rf made')
  })

  it('nothing that a model writes is a command to it', async () => {
    const user = someone()
    const text = PAYLOADS.join('\n')
    const task = { subagent_type: 'explore', description: text, prompt: text }
    const script = user.script({
      main: [
        {
          toolCalls: PAYLOADS.map((payload) => ({ tool: 'task', input: { ...task, description: payload } })),
        },
        { toolCalls: [{ tool: 'bash', input: { command: `echo '${text}'`, description: text } }] },
        { text, chunks: 200 },
      ],
      explore: PAYLOADS.map(() => ({ text })),
    })
    const program = user.terminal(['run', 'hi', '-m', script], { columns: 80 })
    await program.untilStdout(CHOICES)
    program.type('n\r')
    const { code, stdout } = await program.ended
    expect(code).toBe(0)
    expect(stdout).toContain('not shown')
    expectHarmless(stdout)
    const list = user.terminal(['ls'])
    const { stdout: listed } = await list.ended
    const [, id] = /(cnv_\w+)/.exec(listed)!
    const { stdout: shown } = await user.terminal(['show', id!]).ended
    for (const each of [listed, shown]) expectHarmless(each)
  })
})

function someone(): TestUser {
  const user = new TestUser({ 'a.txt': 'text\n' })
  users.push(user)
  return user
}

function makesFile() {
  return { toolCalls: [{ tool: 'bash', input: { command: 'touch made.txt' } }] }
}

/** A subagent that wants to run a command, and what a person answers to that. */
async function answered(answer: (program: StartedProgram) => Promise<void>) {
  const user = someone()
  const task = { subagent_type: 'general', description: 'make a file', prompt: 'Make it.' }
  const script = user.script({
    main: [{ toolCalls: [{ tool: 'task', input: task }] }, { text: 'Done.' }],
    general: [makesFile(), { text: 'Tried.' }],
  })
  const program = user.terminal(['run', 'hi', '-m', script])
  await program.untilStdout(CHOICES)
  await answer(program)
  const { code, stdout: shown } = await program.ended
  return { user, code, shown, made: existsSync(join(user.directory, 'made.txt')), told: toldOf(user) }
}

/** What the subagent's model read as the result of its command. */
function toldOf(user: TestUser): string {
  const [row] = user.rows(
    "select part from parts join messages on message_id = messages.id join branches on branch_id = branches.id where role = 'tool' and kind = 'subagent'",
  )
  return row ? (JSON.parse(row['part'] as string) as { output: { text: string } }).output.text : ''
}

/** Colours, moves to a column, up, and clearing below: what the program draws with. */
const OWN = /\u001b\[(?:\d{1,2}m|\d{1,3}G|\d{1,2}A|0?J|0K)/g
const COMMANDS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u

function expectHarmless(shown: string): void {
  const rest = shown.replace(OWN, '')
  const at = rest.search(COMMANDS)
  expect(at < 0 ? '' : rest.slice(Math.max(0, at - 20), at + 20)).toBe('')
}
