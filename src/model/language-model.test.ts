import { getEventListeners } from 'node:events'
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { describe, expect, it, vi } from 'vitest'
import { collect, modelRequest, only, textMessage } from '../../test/support/model-request.ts'
import { OffshootError, ProviderError } from '../core/errors.ts'
import { createModel } from './language-model.ts'
import { modelInfo } from './models-and-prices.ts'

type Part = LanguageModelV4StreamPart

const called = (toolCallId: string) =>
  ({ type: 'tool-call', toolCallId, toolName: 'read', input: '{}' }) as const
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const text: Part[] = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'hi' },
  { type: 'text-end', id: '1' },
]

function finish(unified: Extract<Part, { type: 'finish' }>['finishReason']['unified']): Part {
  return { type: 'finish', usage, finishReason: { unified, raw: undefined } }
}

function fake(doStream: LanguageModelV4['doStream'], provider = 'test'): LanguageModelV4 {
  const doGenerate = () => Promise.reject(new Error('not used'))
  return { specificationVersion: 'v4', provider, modelId: 'm', supportedUrls: {}, doGenerate, doStream }
}

function answering(parts: readonly Part[]) {
  return createModel(
    fake(async () => ({ stream: ReadableStream.from(parts) })),
    modelInfo('test/m'),
  )
}

async function optionsOf(provider: string, request = modelRequest()): Promise<LanguageModelV4CallOptions> {
  const doStream = vi.fn(async (_: LanguageModelV4CallOptions) => ({
    stream: ReadableStream.from([finish('stop')]),
  }))
  await collect(await createModel(fake(doStream, provider), modelInfo('test/m')).stream(request))
  return doStream.mock.calls[0]![0]
}

async function failure(parts: readonly Part[]): Promise<ProviderError> {
  const all = await collect(await answering(parts).stream(modelRequest()))
  const last = all.at(-1)
  expect(last?.type).toBe('error')
  expect(only(all, 'error')).toHaveLength(1)
  const { error } = last as Extract<Part, { type: 'error' }>
  expect(error).toBeInstanceOf(ProviderError)
  return error as ProviderError
}

describe('createModel', () => {
  it('hands on the parts as they are', async () => {
    const parts = [...text, finish('stop')]
    expect(await collect(await answering(parts).stream(modelRequest()))).toEqual(parts)
  })

  it('takes a stream without finish, or with an interrupted one, as cut', async () => {
    for (const parts of [[], text, [...text, finish('interrupted')]]) {
      expect(await failure(parts)).toMatchObject({
        retryable: true,
        message: expect.stringContaining('test/m'),
      })
    }
  })

  it('turns errors inside the stream into one last part', async () => {
    const frame = { message: 'Overloaded', statusCode: 529, isRetryable: true }
    expect(await failure([...text, { type: 'error', error: frame }, finish('error')])).toMatchObject({
      status: 529,
    })
    expect(await failure([...text, finish('error')])).toMatchObject({ retryable: true })
  })

  it('does not mind what breaks after the end', async () => {
    const parts: Part[] = [...text, finish('stop'), { type: 'error', error: new Error('late') }]
    expect(await collect(await answering(parts).stream(modelRequest()))).toEqual(parts.slice(0, -1))
  })

  it.each([
    ['null', null],
    ['a text', 'hi'],
    ['an end without a reason', { type: 'finish', usage }],
    ['an end with null for one', { type: 'finish', usage, finishReason: null }],
  ])('takes %s for what it is: no part of an answer', async (_, part) => {
    const parts = await collect(await answering([part as never]).stream(modelRequest()))
    const [error] = only(parts, 'error').map((each) => each.error)
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({
      retryable: false,
      message: expect.stringMatching(/^test\/m: the model sent /),
    })
  })

  it('turns a stream that errors into the same', async () => {
    const stream = new ReadableStream<Part>({
      pull: (controller) => controller.error(Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
    })
    const model = createModel(
      fake(async () => ({ stream })),
      modelInfo('test/m'),
    )
    const [part] = await collect(await model.stream(modelRequest()))
    expect(part).toMatchObject({ type: 'error', error: { retryable: true } })
  })

  it('rejects with a ProviderError when there is no stream, thrown or rejected', async () => {
    for (const doStream of [
      () => Promise.reject(new Error('no')),
      () => {
        throw new Error('no')
      },
    ]) {
      const model = createModel(fake(doStream), modelInfo('test/m'))
      await expect(model.stream(modelRequest())).rejects.toMatchObject({
        code: 'provider',
        message: 'test/m: no',
      })
    }
  })

  it('stops at once when aborted, whatever the model does', async () => {
    const model = createModel(
      fake(() => new Promise(() => {})),
      modelInfo('test/m'),
    )
    const controller = new AbortController()
    const reason = new Error('enough')
    const pending = model.stream(modelRequest({ signal: controller.signal }))
    controller.abort(reason)
    await expect(pending).rejects.toBe(reason)
    await expect(model.stream(modelRequest({ signal: controller.signal }))).rejects.toBe(reason)
  })

  it('errors the stream with the reason when aborted in the middle, and cancels the model', async () => {
    const cancel = vi.fn()
    const model = createModel(
      fake(async () => ({ stream: new ReadableStream<Part>({ start: (c) => c.enqueue(text[0]!), cancel }) })),
      modelInfo('test/m'),
    )
    const controller = new AbortController()
    const reader = (await model.stream(modelRequest({ signal: controller.signal }))).getReader()
    expect((await reader.read()).value).toEqual(text[0])
    const pending = reader.read()
    controller.abort(new Error('enough'))
    await expect(pending).rejects.toThrow('enough')
    expect(cancel).toHaveBeenCalledOnce()
  })

  it('cancels the model when nobody reads on', async () => {
    const cancel = vi.fn()
    const model = createModel(
      fake(async () => ({ stream: new ReadableStream<Part>({ start: (c) => c.enqueue(text[0]!), cancel }) })),
      modelInfo('test/m'),
    )
    await (await model.stream(modelRequest())).getReader().cancel('bored')
    expect(cancel).toHaveBeenCalledWith('bored')
  })

  it('stays at its end, whatever comes then, and leaves no listener behind', async () => {
    for (const parts of [[...text, finish('stop')], text]) {
      const controller = new AbortController()
      const reader = (await answering(parts).stream(modelRequest({ signal: controller.signal }))).getReader()
      while (!(await reader.read()).done);
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
      controller.abort(new Error('enough'))
      expect((await reader.read()).done).toBe(true)
    }
  })

  it('ends what is waited for when it is cancelled', async () => {
    const controller = new AbortController()
    const model = createModel(
      fake(async () => ({ stream: new ReadableStream<Part>() })),
      modelInfo('test/m'),
    )
    const reader = (await model.stream(modelRequest({ signal: controller.signal }))).getReader()
    const pending = reader.read()
    await reader.cancel()
    expect((await pending).done).toBe(true)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('says who asks, how long the answer may be, and which tools there are', async () => {
    const tools = [{ name: 'read', description: 'reads', inputSchema: { type: 'object' } }]
    const request = modelRequest({
      tools,
      toolChoice: 'none',
      maxOutputTokens: 9,
      agent: 'explore',
      depth: 1,
    })
    expect(await optionsOf('test', request)).toMatchObject({
      providerOptions: { offshoot: { agent: 'explore', depth: 1 } },
      maxOutputTokens: 9,
      toolChoice: { type: 'none' },
      tools: [{ type: 'function', name: 'read', description: 'reads', inputSchema: { type: 'object' } }],
    })
    expect(await optionsOf('test')).not.toHaveProperty('tools')
  })

  it('says how much to reason only where somebody has said so', async () => {
    expect(await optionsOf('test', modelRequest({ effort: 'high' }))).toMatchObject({ reasoning: 'high' })
    expect(await optionsOf('test')).not.toHaveProperty('reasoning')
  })

  /** What is asked of a model that refuses to be told, in these words. */
  function refusing(message: string, statusCode: number) {
    const asked: (string | undefined)[] = []
    const error = new APICallError({
      message,
      statusCode,
      url: '',
      requestBodyValues: {},
      isRetryable: false,
    })
    const model = createModel(
      fake(async ({ reasoning }) => {
        asked.push(reasoning)
        if (reasoning) throw error
        return { stream: ReadableStream.from([...text, finish('stop')]) }
      }),
      modelInfo('test/m'),
    )
    return { model, asked }
  }

  it.each([
    ["Unsupported parameter: 'reasoning_effort'", 400],
    ['"llama" does not support thinking', 400],
    ['effort: value is not valid', 422],
  ])('asks without where a model cannot be told: %s', async (message, status) => {
    const { model, asked } = refusing(message, status)
    for (const effort of ['high', 'high', 'low'] as const)
      expect(only(await collect(await model.stream(modelRequest({ effort }))), 'finish')).toHaveLength(1)
    expect(asked).toEqual(['high', undefined, undefined, 'low', undefined])
  })

  it('ends an answer that has more parts than any', async () => {
    const pieces = Array.from({ length: 3_000 }, (_, i) => called(String(i)))
    const model = createModel(
      fake(async () => ({ stream: ReadableStream.from([...pieces, finish('stop')]) })),
      modelInfo('test/m'),
    )
    const parts = await collect(await model.stream(modelRequest()))
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { retryable: false } })
    expect(String((parts.at(-1) as { error: unknown }).error)).toMatch(/more than 2000 parts/)
    expect(parts).toHaveLength(2_001)
  })

  it('drops only the wish that was refused', async () => {
    const asked: object[] = []
    const model = createModel(
      fake(async ({ reasoning, temperature }) => {
        asked.push({ reasoning, temperature })
        const refuse = (message: string) =>
          new APICallError({ message, statusCode: 400, url: '', requestBodyValues: {}, isRetryable: false })
        if (temperature !== undefined) throw refuse("Unsupported parameter: 'temperature'")
        return { stream: ReadableStream.from([...text, finish('stop')]) }
      }),
      modelInfo('test/m'),
    )
    const wishes = { effort: 'high', temperature: 0 } as const
    for (let i = 0; i < 2; i++) await collect(await model.stream(modelRequest(wishes)))
    expect(asked).toEqual([
      { reasoning: 'high', temperature: 0 },
      { reasoning: 'high', temperature: undefined },
      { reasoning: 'high', temperature: undefined },
    ])
  })

  it.each([
    ['the prompt is too long', 400],
    ['thinking about your key', 401],
    ['no reason given', 500],
  ])('does not take another failure for that: %s', async (message, status) => {
    const { model, asked } = refusing(message, status)
    await expect(model.stream(modelRequest({ effort: 'high' }))).rejects.toMatchObject({ status })
    expect(asked).toEqual(['high'])
  })

  it('keeps nothing at OpenAI', async () => {
    expect((await optionsOf('openai.responses')).providerOptions).toMatchObject({ openai: { store: false } })
  })

  it('marks at most four places for the cache of Anthropic, and none for others', async () => {
    const messages = [
      textMessage('system', 'rules'),
      ...['a', 'b', 'c', 'd'].flatMap((word) => [textMessage('user', word), textMessage('assistant', word)]),
      textMessage('user', 'last'),
    ]
    const marked = (options: LanguageModelV4CallOptions) =>
      options.prompt.flatMap((message, at) => (message.providerOptions?.['anthropic'] ? [at] : []))
    expect(marked(await optionsOf('anthropic.messages', modelRequest({ messages })))).toEqual([0, 7, 9])
    expect(marked(await optionsOf('openai.responses', modelRequest({ messages })))).toEqual([])
  })

  it.each([
    { specificationVersion: 'v3' },
    { specificationVersion: 'v2' },
    {},
    { specificationVersion: 'v4' },
  ])('refuses %j with a clear error', (model) => {
    expect(() => createModel(model as never, modelInfo('test/m'))).toThrow(OffshootError)
    expect(() => createModel(model as never, modelInfo('test/m'))).toThrow(/v4/)
  })
})
