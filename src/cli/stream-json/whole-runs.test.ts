import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ScriptInput } from '../../model/model-script.ts'
import { cliUser, type CliOptions, type CliUser } from '../../../test/support/run-cli.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'
import { readStream } from './fixtures/read-stream.ts'

let user: CliUser
beforeEach(() => {
  user = cliUser()
  user.write('a.ts', 'export const a = 1\n')
})
afterEach(() => user.remove())

type Agents = ScriptInput['agents']

async function run(agents: Agents, args: readonly string[] = [], options?: CliOptions) {
  const ended = await user.run(agents, ['--output-format', 'stream-json', ...args, 'the question'], options)
  return { ...ended, stream: readStream(ended.stdout) }
}

const task = (prompt: string, agent = 'explore') => ({
  tool: 'task',
  input: { description: `about ${prompt}`, prompt, subagent_type: agent },
})
const read = { tool: 'read', input: { file_path: 'a.ts' } }
const list = { tool: 'list', input: {} }
const usage = (input: number, output: number, more = {}) => ({ input, output, ...more })

describe('three tasks side by side', () => {
  const agents: Agents = {
    main: [
      { text: 'I ask three.', toolCalls: [task('one'), task('two'), task('three')], usage: usage(100, 10) },
      { text: 'all three answered', usage: usage(200, 20, { cacheRead: 150, cacheWrite: 30, reasoning: 5 }) },
    ],
    explore: [
      { match: 'one', toolCalls: [read], usage: usage(1, 1) },
      { match: 'two', toolCalls: [read, read], usage: usage(2, 2) },
      { match: 'three', toolCalls: [list], usage: usage(4, 4) },
      { match: 'export const a = 1\\n', text: 'report two', usage: usage(8, 8) },
      { match: 'export', text: 'report one', usage: usage(16, 16) },
      { match: 'a.ts', text: 'report three', usage: usage(0, 0) },
    ],
  }

  test('everything that a child did stands under the call that started it', async () => {
    const { stream, exitCode } = await run(agents)
    expect(exitCode).toBe(0)
    const calls = stream.calls('task')
    expect(calls.map(({ parent }) => parent)).toEqual([null, null, null])
    expect(stream.texts(null)).toEqual(['I ask three.', 'all three answered'])
    expect(stream.texts(calls[2]!.id)).toEqual(['report three'])
    expect(
      stream
        .calls('read')
        .map(({ parent }) => calls.findIndex(({ id }) => id === parent))
        .toSorted((a, b) => a - b),
    ).toEqual([0, 1, 1])
    for (const { id } of calls) {
      expect(stream.results.get(id)).toMatchObject({
        isError: false,
        content: expect.stringContaining('report'),
      })
      const of = stream.messages.filter(
        (each) => 'parent_tool_use_id' in each && each.parent_tool_use_id === id,
      )
      expect(new Set(of.map((each) => 'agent_id' in each && each.agent_id)).size).toBe(1)
    }
  })

  test('each task begins, makes progress and ends, and says whose it is', async () => {
    const { stream } = await run(agents)
    const ids = stream.calls('task').map(({ id }) => id)
    expect(stream.started.map(({ tool_use_id }) => tool_use_id)).toEqual(ids)
    expect(stream.started[0]).toMatchObject({
      description: 'about one',
      prompt: 'one',
      subagent_type: 'explore',
      spawn_depth: 1,
      is_backgrounded: false,
    })
    expect(stream.started[0]).not.toHaveProperty('parent_task_id')
    expect(stream.progress.filter((each) => each.tool_use_id === ids[1])).toMatchObject([
      { last_tool_name: 'read', summary: 'Read a.ts', usage: { tool_uses: 1, total_tokens: 4 } },
      { last_tool_name: 'read', usage: { tool_uses: 2, total_tokens: 4 } },
    ])
    expect(stream.unfinished).toEqual([])
    expect(stream.notified.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
    expect(stream.notified.find((each) => each.tool_use_id === ids[2])).toMatchObject({
      summary: 'report three',
      usage: { tool_uses: 1, total_tokens: 8 },
    })
  })

  test('the result has the answer and the totals of the tree, each request once', async () => {
    const { stream } = await run(agents)
    expect(stream.result).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'all three answered',
      num_turns: 2,
      total_cost_usd: 0,
      permission_denials: [],
      usage: {
        input_tokens: 331 - 180,
        cache_read_input_tokens: 150,
        cache_creation_input_tokens: 30,
        output_tokens: 61,
        output_tokens_details: { thinking_tokens: 5 },
      },
    })
    expect(Object.values(stream.result.modelUsage)).toMatchObject([
      { inputTokens: 151, cacheReadInputTokens: 150, cacheCreationInputTokens: 30, outputTokens: 61 },
    ])
    const answers = stream.messages.filter((each) => each.type === 'assistant')
    const output = answers.reduce((sum, { message }) => sum + message.usage.output_tokens, 0)
    expect(output).toBe(61)
    expect(answers.map(({ message }) => message.stop_reason)).toContain('tool_use')
    expect(answers.at(-1)!.message.stop_reason).toBe('end_turn')
  })

  test('it begins with what there is to work with', async () => {
    const { stream } = await run(agents, ['--mode', 'accept-edits'])
    expect(stream.init).toMatchObject({
      cwd: user.workspace,
      permissionMode: 'acceptEdits',
      model: expect.stringMatching(/^scripted:/),
      tools: expect.arrayContaining(['read', 'bash', 'task']),
      agents: expect.arrayContaining(['explore', 'general']),
    })
    expect(stream.init.agents).not.toContain('main')
    expect(stream.init.session_id).toMatch(/^cnv_/)
  })
})

test('a subagent of a subagent stands under the call of its own parent', async () => {
  user.write('offshoot.jsonc', '{"limits": {"maxDepth": 2}}')
  await user.trust()
  const { stream } = await run({
    main: [{ toolCalls: [task('outer', 'general')] }, { text: 'end' }],
    general: [{ toolCalls: [task('inner')] }, { text: 'outer report' }],
    explore: [{ toolCalls: [read] }, { text: 'inner report' }],
  })
  const [outer, inner] = stream.calls('task')
  expect([outer!.parent, inner!.parent]).toEqual([null, outer!.id])
  expect(stream.calls('read').map(({ parent }) => parent)).toEqual([inner!.id])
  expect(stream.texts(inner!.id)).toEqual(['inner report'])
  const [first, second] = stream.started
  expect(second).toMatchObject({ spawn_depth: 2, tool_use_id: inner!.id, parent_task_id: first!.task_id })
})

test('a child that fails is told as failed, and its call as an error', async () => {
  const { stream, exitCode } = await run({
    main: [{ toolCalls: [task('one'), task('two')] }, { text: 'one failed' }],
    explore: [
      { match: 'one', error: { status: 400 } },
      { match: 'two', toolCalls: [read] },
      { match: 'export', text: 'fine' },
    ],
  })
  const [bad, good] = stream.calls('task')
  expect(exitCode).toBe(0)
  expect(stream.results.get(bad!.id)!.isError).toBe(true)
  expect(stream.results.get(good!.id)!.isError).toBe(false)
  expect(stream.notified.find((each) => each.tool_use_id === bad!.id)).toMatchObject({
    status: 'failed',
    summary: expect.stringContaining('400'),
  })
  expect(stream.result).toMatchObject({ subtype: 'success', result: 'one failed' })
})

test('a call that nobody could allow is listed with its input', async () => {
  const { stream, exitCode } = await run({
    main: [{ toolCalls: [task('one', 'general')] }, { text: 'it was denied' }],
    general: [{ toolCalls: [{ tool: 'bash', input: { command: 'touch x' } }] }, { text: 'not allowed' }],
  })
  const [call] = stream.calls('bash')
  expect(exitCode).toBe(5)
  expect(stream.results.get(call!.id)!.isError).toBe(true)
  expect(stream.result.permission_denials).toEqual([
    { tool_name: 'bash', tool_use_id: call!.id, tool_input: expect.objectContaining({ command: 'touch x' }) },
  ])
})

test('a run that stops at its turn limit says so', async () => {
  const { stream, exitCode } = await run(
    { main: [{ text: 'I look', toolCalls: [read] }, { text: 'so far' }] },
    ['--max-turns', '1'],
  )
  expect(exitCode).toBe(4)
  expect(stream.result).toMatchObject({ subtype: 'error_max_turns', is_error: true })
})

test('a run that fails says why', async () => {
  const { stream, exitCode } = await run({ main: [{ error: { status: 401 } }] })
  expect(exitCode).toBe(1)
  expect(stream.result).toMatchObject({
    subtype: 'error_during_execution',
    is_error: true,
    errors: [expect.stringContaining('401')],
  })
})

test('an answer without text is an error, also after a conclusion was asked for', async () => {
  const { stream } = await run({ main: [{ usage: usage(3, 0) }, { usage: usage(3, 0) }] })
  expect(stream.result).toMatchObject({
    subtype: 'error_during_execution',
    errors: [expect.stringContaining('the answer was empty')],
  })
})

test('a tool that is asked with text that is no JSON is told as an error of that call', async () => {
  const { stream } = await run({
    main: [{ toolCalls: [{ tool: 'read', input: '{"file_path' }] }, { text: 'sorry' }],
  })
  const [call] = stream.calls('read')
  expect(call!.input).toEqual({})
  expect(stream.results.get(call!.id)!.isError).toBe(true)
})

test.each([
  ['SIGINT', 1, 130],
  ['SIGTERM', 1, 143],
  ['SIGINT', 2, 130],
] as const)(
  '%s, %i times, while children work: every task stops, and the result is last',
  async (name, times, code) => {
    let sent = false
    const { stream, exitCode } = await run(
      {
        main: [{ toolCalls: [task('one'), task('two')] }],
        explore: [
          { match: 'one', delayMs: 80_000_000, text: 'never' },
          { match: 'two', text: 'two is done' },
        ],
      },
      [],
      {
        onOutput(text, signal) {
          if (sent || !text.includes('two is done')) return
          sent = true
          for (let i = 0; i < times; i++) signal(name)
        },
      },
    )
    expect(exitCode).toBe(code)
    expect(stream.unfinished).toEqual([])
    expect(stream.result).toMatchObject({ subtype: 'error_during_execution', is_error: true })
    const [one] = stream.calls('task')
    expect(stream.notified.find((each) => each.tool_use_id === one!.id)).toMatchObject({
      status: 'stopped',
      summary: expect.stringMatching(times === 1 ? /^paused/ : /^cancelled/),
    })
  },
)

test('a run whose end cannot be written has a result too: somebody has deleted its conversation', async () => {
  let deleted: Promise<void> | undefined
  const { stream, exitCode } = await run(
    {
      main: [{ toolCalls: [task('one')] }],
      explore: [{ delayMs: 80_000_000, text: 'never' }],
    },
    [],
    {
      onOutput(text, signal) {
        if (!text.includes('task_started')) return
        deleted ??= deleteConversation(text.match(/cnv_\w+/)![0]).then(() => signal('SIGINT'))
      },
    },
  )
  await deleted
  expect(exitCode).not.toBe(0)
  expect(stream.result).toMatchObject({ subtype: 'error_during_execution', errors: [expect.any(String)] })
})

async function deleteConversation(id: string): Promise<void> {
  const store = await openSqliteStore({ file: user.database, now: () => 0 })
  await store.tx((tx) => tx.delete('conversations', id), { durable: true })
  await store.close()
}

test('a second message goes on under the same session_id and tells nothing twice', async () => {
  const first = await run({ main: [{ text: 'first answer' }] })
  const second = await run({ main: [{ text: 'second answer' }] }, [
    '--conversation',
    first.stream.init.session_id,
  ])
  expect(second.stream.init.session_id).toBe(first.stream.init.session_id)
  expect(second.stream.texts(null)).toEqual(['second answer'])
  expect(second.stream.result).toMatchObject({ result: 'second answer', num_turns: 1 })
})

test('what could command a terminal or break a line is escaped, and comes back as it was', async () => {
  const wild = 'a\u001b[2Jb\u0007\u009bc\u2028d\u2029e\u202ef\u007fg\ud800h'
  user.write('wild.txt', wild)
  const { stream, stdout } = await run({
    main: [{ toolCalls: [{ tool: 'read', input: { file_path: 'wild.txt' } }] }, { text: wild }],
  })
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u)
  expect(stream.result).toMatchObject({ result: wild })
})

test('before a run has begun nothing is said on stdout', async () => {
  const { stdout, exitCode } = await user.run({}, [
    '--output-format',
    'stream-json',
    '--agent',
    'nobody',
    'x',
  ])
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
})
