import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
let script: string
const look = { text: 'I look.', toolCalls: [{ tool: 'grep', input: { pattern: 'apples' } }] }
const explore = [look, { text: 'There are apples.' }]

beforeAll(() => {
  user = new TestUser({ 'fruit.txt': 'apples\n' })
  script = user.script({ explore, main: [{ text: 'Hello.' }], '*': [{ text: 'general did it' }] })
})

afterAll(() => user.remove())

interface Shown {
  readonly branches: readonly {
    readonly id: string
    readonly kind: string
    readonly originMessageId: string | null
    readonly messages: readonly { readonly id: string; readonly role: string }[]
  }[]
}

async function shown(id: string): Promise<Shown> {
  return JSON.parse((await user.call(['show', id, '--json'])).stdout) as Shown
}

const conversationIn = (stderr: string) => /of (cnv_\w+)/.exec(stderr)![1]!

describe('spawn', () => {
  test('prints the report of a subagent of a new conversation, and says on stderr which', async () => {
    const args = ['spawn', '--agent', 'explore', '--label', 'find apples', '-m', script, 'Where are apples?']
    const { code, stdout, stderr } = await user.call(args)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'There are apples.\n' })
    expect(stderr).toMatch(/^offshoot: subagent brn_\w+ of cnv_\w+$/m)
    const tree = (await user.call(['show', conversationIn(stderr), '--messages'])).stdout
    expect(tree).toMatch(/^● main · no run yet · brn_/m)
    expect(tree).toMatch(/^ {2}◎ find apples \(explore\) · Done · 2\/15 turns · 1 tool · brn_/m)
    expect(tree).toContain('  ∙ explore started by User: find apples\n  ∙ explore completed: find apples (')
  })

  test.each([
    ['wake', true],
    ['both', true],
    ['announce', false],
  ])('a continue of one with --deliver %s says before whether it wakes', async (deliver, wakes) => {
    const { stdout } = await user.call(['run', '-m', script, '--output-format', 'json', 'Hello?'])
    const { conversation_id: id } = JSON.parse(stdout) as { conversation_id: string }
    const flags = ['--conversation', id, '--deliver', deliver, '--agent', 'general', '-m', script]
    const { stderr } = await user.call(['spawn', ...flags, 'Look.'])
    const [, child] = /subagent (brn_\w+) of/.exec(stderr)!
    const said = 'its report will wake main, whose answer is billed; --no-wake keeps it on its branch'
    const again = await user.call(['continue', child!, 'and more'])
    expect(again.stderr.includes(said)).toBe(wakes)
    const kept = await user.call(['continue', child!, 'and more', '--no-wake'])
    expect(kept.stderr).not.toContain('will wake')
  })

  test('takes the task from stdin, the agent general, and any format', async () => {
    const args = ['spawn', '-m', script, '--output-format', 'json']
    const { code, stdout } = await user.call(args, { input: 'do it' })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', text: 'general did it', subagents: [] })
    const stream = await user.call([
      'spawn',
      '--agent',
      'explore',
      '-m',
      script,
      'x',
      '--output-format',
      'stream-json',
    ])
    const lines = stream.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.filter(({ type }) => type === 'result')).toMatchObject([{ result: 'There are apples.' }])
    const task = lines.find(({ subtype }) => subtype === 'task_started')!['task_id']
    const said = lines.filter(({ type }) => type === 'assistant')
    expect(said.map((line) => line['parent_tool_use_id'])).toEqual([task, task])
  })

  test('goes below the main branch of a conversation, in its directory, with its model', async () => {
    const { stdout } = await user.call(['run', 'hi', '-m', script, '--output-format', 'json'])
    const { conversation_id: id } = JSON.parse(stdout) as { conversation_id: string }
    const args = ['spawn', '--conversation', id, '--agent', 'explore', 'Where?']
    expect(await user.call(args)).toMatchObject({ code: 0, stdout: 'There are apples.\n' })
    const [main, subagent] = (await shown(id)).branches
    expect(subagent).toMatchObject({ kind: 'subagent', originMessageId: main!.messages[2]!.id })
    expect(await user.call([...args, '-C', '/'])).toMatchObject({ code: 2, stdout: '' })
  })

  test('that is to wake the main agent does so before it ends', async () => {
    const own = user.script(
      { main: [{ text: 'Hello.' }, { match: 'apples', text: 'I see.' }], explore },
      'wake.json',
    )
    const { stdout } = await user.call(['run', 'hi', '-m', own, '--output-format', 'json'])
    const { conversation_id: id } = JSON.parse(stdout) as { conversation_id: string }
    const again = user.script({ main: [{ match: 'apples', text: 'I see.' }], explore }, 'wake.json')
    const args = [
      'spawn',
      '--conversation',
      id,
      '--agent',
      'explore',
      '--deliver',
      'wake',
      '-m',
      again,
      'Where?',
    ]
    expect(await user.call(args)).toMatchObject({ code: 0, stdout: 'There are apples.\n' })
    expect((await user.call(['log', id])).stdout).toMatch(/There are apples\.[^]*main \(agent\): I see\.\n$/)
  })

  test.each([
    [
      ['--background', 'x'],
      /^offshoot: no offshoot serve is running to hand it to\n {2}start one in another terminal \(offshoot serve\), or /m,
    ],
    [
      ['--backend', 'claude', 'x'],
      /^offshoot: --backend claude is not available yet; it comes with a later version$/m,
    ],
    [['--agent', 'explre', 'x'], /unknown agent "explre".*\n {2}did you mean explore\?/],
    [['--agent', 'main', 'x', '-m', 'offline'], /the agent main works with a person/],
    [['--deliver', 'loudly', 'x'], /Allowed choices are wake, announce, both/],
    [['--conversation', 'cnv_00000000000000000000000000', 'x'], /there is no conversation cnv_0+/],
    [['--conversation', 'nonsense', 'x'], /there is no conversation nonsense/],
    [['--max-turns', '51', 'x', '-m', 'offline'], /max_turns 51 is more than the 50 that any run may take/],
    [['-m', 'nobody/nothing', 'x'], /nobody/],
    [['-C', '/nowhere', 'x'], /\/nowhere/],
    [[], /^offshoot: there is no task\n {2}offshoot spawn "what to do", or the same on stdin$/m],
  ])('with %j is wrong usage', async (args, text) => {
    const { code, stdout, stderr } = await user.call(['spawn', ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(text)
  })
})

describe('fork', () => {
  test('last is the latest message of the latest conversation here', async () => {
    const model = user.script({ main: [{ text: 'first' }] }, 'last.json')
    await user.call(['run', 'hi', '-m', model])
    const [message] = user.rows('SELECT id FROM messages ORDER BY id DESC LIMIT 1')
    const { code, stdout } = await user.call(['fork', 'last'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^brn_/)])
    expect(user.rows(`SELECT origin_message_id AS at FROM branches WHERE id = '${stdout.trim()}'`)).toEqual([
      { at: message!['id'] },
    ])
  })

  test('without a message, and without a terminal to pick one, is wrong usage', async () => {
    const { code, stdout, stderr } = await user.call(['fork'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('fork needs a message\n  Name the message: offshoot fork last')
  })

  test('of a message of a subagent prints the branch, or with a text the answer there', async () => {
    const { stderr } = await user.call(['spawn', '--agent', 'explore', '-m', script, 'Where?'])
    const id = conversationIn(stderr)
    const subagent = (await shown(id)).branches.find(({ kind }) => kind === 'subagent')!
    const asked = subagent.messages.find(({ role }) => role === 'assistant')!
    const bare = await user.call(['fork', asked.id])
    expect(bare).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^brn_\w+\n$/),
      stderr: expect.stringMatching(/^offshoot: no run yet; .*\n$/),
    })
    const forked = await user.call(['fork', asked.id, 'And pears?'])
    expect(forked).toMatchObject({ code: 0, stdout: 'There are apples.\n' })
    expect(
      await user.call(['fork', asked.id, '-', '--output-format', 'json'], { input: 'And plums?' }),
    ).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"text":"There are apples."'),
    })
    const tree = (await user.call(['show', id])).stdout
    expect(tree).toMatch(/^ {4}⑂ fork of Where\? \(explore\) · no run yet · brn_/m)
    expect(tree).toMatch(/^ {4}⑂ And pears\? \(explore\) · Done · 2\/15 turns · 1 tool · brn_/m)
    const [, branch] = /fork (brn_\w+)/.exec(forked.stderr)!
    expect((await user.call(['log', branch!])).stdout).toMatch(
      /^User: And pears\?\nexplore \(agent\): I look\./,
    )
    const exported = (await user.call(['export', id])).stdout
    expect(exported.match(/"type": ?"human"/g)).toHaveLength(3)
    const other = { env: { OFFSHOOT_HOME: `${user.home}-other` } }
    expect(await user.call(['import', '-'], { ...other, input: exported })).toMatchObject({ code: 0 })
    expect((await user.call(['export', id], other)).stdout).toBe(exported)
  })

  test.each([
    ['msg_00000000000000000000000000', 'there is no message msg_00000000000000000000000000'],
    [
      'brn_00000000000000000000000000',
      'brn_00000000000000000000000000 is the id of a branch, not of a message',
    ],
    [
      'cnv_00000000000000000000000000',
      'cnv_00000000000000000000000000 is the id of a conversation, not of a message',
    ],
    ['nonsense', 'there is no message nonsense'],
  ])('of %s is wrong usage', async (id, text) => {
    for (const args of [[id], [id, 'x']]) {
      const { code, stdout, stderr } = await user.call(['fork', ...args])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(`offshoot: ${text}\n`)
      expect(stderr).toMatch(/offshoot (show|log) ID --ids/)
    }
  })
})
