import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { createOfflineModel } from './offline-model.ts'

const QUESTION = 'Where are vouchers redeemed, and which tests cover it?'

describe('the stream', () => {
  test('text in pieces, then each call with its input in pieces, then the end with usage', async () => {
    const parts = await stream(options([user(QUESTION)], ['task', 'grep']))
    const types = parts.map((part) => part.type)
    expect(types[0]).toBe('stream-start')
    expect(types[1]).toBe('text-start')
    expect(types.indexOf('text-end')).toBeLessThan(types.indexOf('tool-input-start'))
    const calls = parts.filter((part) => part.type === 'tool-call')
    expect(calls.map((call) => call.toolName)).toEqual(['task', 'task'])
    for (const call of calls) {
      const deltas = parts.flatMap((part) =>
        part.type === 'tool-input-delta' && part.id === call.toolCallId ? [part.delta] : [],
      )
      expect(deltas.length).toBeGreaterThan(1)
      expect(deltas.join('')).toBe(call.input)
    }
    const end = parts.at(-1)
    expect(end).toMatchObject({ type: 'finish', finishReason: { unified: 'tool-calls' } })
    expect(end?.type === 'finish' && end.usage.inputTokens.total).toBe(Math.ceil(QUESTION.length / 4))
  })

  test('says the same each time', async () => {
    const request = options([user(QUESTION)], ['task'])
    expect(await stream(request)).toEqual(await stream(request))
  })

  test('ids of calls do not repeat in a later turn', async () => {
    const model = createOfflineModel()
    const prompt = [user('Where is the cache?')]
    const first = await model.doGenerate(options(prompt, ['grep', 'read', 'glob'], 'explore'))
    const calls = first.content.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
    const results = calls.map(({ toolCallId, toolName }) => ({
      type: 'tool-result' as const,
      toolCallId,
      toolName,
      output: {
        type: 'text' as const,
        value: toolName === 'glob' ? 'src/cache.ts' : 'src/cache.ts:1:export class Cache {}',
      },
    }))
    const next = [
      ...prompt,
      {
        role: 'assistant' as const,
        content: calls.map((call) => ({ ...call, input: JSON.parse(call.input) as unknown })),
      },
      { role: 'tool' as const, content: results },
    ]
    const second = await model.doGenerate(options(next, ['grep', 'read', 'glob'], 'explore'))
    const ids = second.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    expect(ids.length).toBeGreaterThan(0)
    expect(ids.filter((id) => calls.some((call) => call.toolCallId === id))).toEqual([])
  })
})

describe('abort', () => {
  test('before the request', async () => {
    const request = { ...options([user('hello')], []), abortSignal: AbortSignal.abort(new Error('stop')) }
    await expect(createOfflineModel().doStream(request)).rejects.toThrow('stop')
    await expect(createOfflineModel().doGenerate(request)).rejects.toThrow('stop')
  })

  test('in the middle', async () => {
    const abort = new AbortController()
    const request = { ...options([user('hello')], []), abortSignal: abort.signal }
    const { stream: pieces } = await createOfflineModel().doStream(request)
    const reader = pieces.getReader()
    await reader.read()
    abort.abort(new Error('stop'))
    const rest = async () => {
      while (!(await reader.read()).done);
    }
    await expect(rest()).rejects.toThrow('stop')
  })
})

describe('without a search', () => {
  test.each([
    ['hello', /^Hello\. I am offline: a rule-based search, not a language model/],
    ['Hi there!', /^Hello/],
    ['Thanks!', /You are welcome/],
    ['who are you?', /not a language model/],
    ['', /no question/],
    ['   \n', /no question/],
    ['😀👍', /no question/],
    ['?!', /no question/],
  ])('%j is answered at once', async (text, answer) => {
    const { content, finishReason } = await createOfflineModel().doGenerate(
      options([user(text)], ['task', 'grep', 'read']),
    )
    expect(finishReason.unified).toBe('stop')
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(answer) as string }])
  })

  test('no prompt at all', async () => {
    const { content } = await createOfflineModel().doGenerate(options([], ['task']))
    expect(content).toMatchObject([{ type: 'text' }])
  })

  test('no tools: it concludes at once, and says that nothing was searched', async () => {
    const { content } = await createOfflineModel().doGenerate(options([user(QUESTION)], []))
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringContaining('No search was made') as string },
    ])
  })

  test('toolChoice none: no calls, whatever is offered', async () => {
    const request = { ...options([user(QUESTION)], ['task', 'grep']), toolChoice: { type: 'none' as const } }
    expect((await stream(request)).some((part) => part.type === 'tool-call')).toBe(false)
  })
})

describe('delegation', () => {
  test('a prompt of 10 MB becomes short tasks about the question at its end', async () => {
    const text = `${'2026-01-01 INFO all is well with the flux\n'.repeat(250_000)}\nWhere is the capacitor charged?`
    const calls = await tasks([user(text)])
    expect(calls.length).toBeGreaterThanOrEqual(2)
    expect(calls.every(({ prompt }) => prompt.length < 2_000 && prompt.includes('capacitor'))).toBe(true)
  })

  test('at most four, however much is asked', async () => {
    const text =
      'Where is the cache? Where is the queue? Where is the lock? Where is the log? Where is the pool? Where is the map?'
    expect((await tasks([user(text)])).length).toBe(4)
  })

  test('failed subagents: it searches by itself', async () => {
    const prompt = await afterTasks({ type: 'error-text', value: 'no slot' })
    const { content } = await createOfflineModel().doGenerate(
      options(prompt, ['task', 'grep', 'read', 'glob']),
    )
    expect(content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))).toContain('grep')
  })

  test('denied subagents and no tools of its own: says so', async () => {
    const prompt = await afterTasks({ type: 'execution-denied', reason: 'not now' })
    const { content, finishReason } = await createOfflineModel().doGenerate(options(prompt, ['task']))
    expect(finishReason.unified).toBe('stop')
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringMatching(/Nothing was found/) as string },
    ])
  })

  test('reports are merged: a line that two reports cite stands once', async () => {
    const report = '**Found**\n\n- src/a.ts:3 `export function redeem() {` - defines redeem'
    const prompt = await afterTasks({ type: 'text', value: report })
    const text = await answer(prompt)
    expect(text.match(/src\/a\.ts:3/g)).toHaveLength(1)
    expect(text).toContain('- src/a.ts:3 `export function redeem() {`')
  })

  test('what is said while it works starts one more task, and both are answered', async () => {
    const prompt = await afterTasks({ type: 'text', value: '- src/a.ts:3 `export function redeem() {`' })
    const more = await tasks([...prompt, user('Also look at how the queue is drained')])
    expect(more.some((task) => task.prompt.includes('queue'))).toBe(true)
  })

  test('a notice of the runtime is no question', async () => {
    const prompt = await afterTasks({ type: 'text', value: '- src/a.ts:3 `export function redeem() {`' })
    const notice = user('You have used all 3 turns. Conclude now, without tools, with what you have.')
    expect(await answer([...prompt, notice])).toContain('src/a.ts:3')
  })
})

async function afterTasks(output: LanguageModelV4ToolOutput): Promise<LanguageModelV4Prompt> {
  const { content } = await createOfflineModel().doGenerate(options([user(QUESTION)], ['task']))
  const calls = content.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
  return [
    user(QUESTION),
    {
      role: 'assistant',
      content: calls.map((call) => ({ ...call, input: JSON.parse(call.input) as unknown })),
    },
    {
      role: 'tool',
      content: calls.map(({ toolCallId, toolName }) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output,
      })),
    },
  ]
}

type ToolMessage = Extract<LanguageModelV4Prompt[number], { role: 'tool' }>
type LanguageModelV4ToolOutput = Extract<ToolMessage['content'][number], { type: 'tool-result' }>['output']

async function tasks(prompt: LanguageModelV4Prompt): Promise<{ prompt: string }[]> {
  const { content } = await createOfflineModel().doGenerate(options(prompt, ['task']))
  return content.flatMap((part) =>
    part.type === 'tool-call' ? [JSON.parse(part.input) as { prompt: string }] : [],
  )
}

async function answer(prompt: LanguageModelV4Prompt): Promise<string> {
  const { content } = await createOfflineModel().doGenerate(options(prompt, ['task']))
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

async function stream(request: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamPart[]> {
  return Array.fromAsync((await createOfflineModel().doStream(request)).stream)
}

function options(
  prompt: LanguageModelV4Prompt,
  tools: readonly string[],
  agent = 'main',
): LanguageModelV4CallOptions {
  return {
    prompt,
    tools: tools.map((name) => ({ type: 'function', name, inputSchema: {} })),
    providerOptions: { offshoot: { agent, depth: agent === 'main' ? 0 : 1 } },
  }
}

function user(text: string): LanguageModelV4Prompt[number] {
  return { role: 'user', content: [{ type: 'text', text }] }
}
