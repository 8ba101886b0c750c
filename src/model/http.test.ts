import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collect, modelRequest, only, readable, textMessage } from '../../test/support/model-request.ts'
import {
  httpProviders,
  providerEnvironment,
  startModelServer,
  startRawServer,
  TEST_KEY,
  type HttpProvider,
  type ModelServer,
} from '../../test/support/model-server.ts'
import type { ContextMessage } from '../core/build-context.ts'
import type { Clock } from '../core/clock.ts'
import { ProviderError } from '../core/errors.ts'
import type { CallId, PartId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { createFetch } from './fetch.ts'
import type { Model, ModelPart, ModelRequest } from './port.ts'
import { createResolver } from './resolve.ts'
import { toUsage } from './provider-usage.ts'

const clock: Clock = { now: Date.now, after: () => () => {} }
const tools = ['read', 'grep'].map((name) => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}))

/** The default models of Anthropic and OpenAI take no temperature: their packages leave it out. */
const TAKES_TEMPERATURE: Readonly<Partial<Record<HttpProvider, string>>> = {
  anthropic: 'anthropic/claude-haiku-4-5',
  openai: 'openai/gpt-4.1',
}

function modelAt(url: string, provider: HttpProvider, model: string = provider): Promise<Model> {
  const id = model === 'openai-compatible' ? 'openai-compatible/some-model' : model
  return createResolver({ env: providerEnvironment(provider, url), fetch: createFetch(), clock })(id)
}

function textOf(parts: readonly ModelPart[]): string {
  return only(parts, 'text-delta')
    .map((part) => part.delta)
    .join('')
}

describe.each(httpProviders)('%s over HTTP', (provider) => {
  let server: ModelServer
  let model: Model
  beforeAll(async () => {
    server = await startModelServer()
    model = await modelAt(server.url, provider)
  })
  afterAll(() => server.close())

  const ask = async (changes: Partial<ModelRequest> = {}) =>
    collect(await model.stream(modelRequest({ tools, ...changes })))
  const lastRequest = () => server.requests().at(-1)!
  /** What arrives together is one piece. */
  const isJoined = provider === 'openai-compatible'

  it('streams text, with the end and the usage', async () => {
    server.answer({ text: 'one two three four', fixture: { chunkSize: 4 } })
    const parts = await ask({ messages: [textMessage('system', 'be brief'), textMessage('user', 'count')] })
    expect(textOf(parts)).toBe('one two three four')
    expect(only(parts, 'text-delta').length).toBeGreaterThan(isJoined ? 0 : 2)
    const [finish] = only(parts, 'finish')
    expect(finish!.finishReason.unified).toBe('stop')
    expect(toUsage(finish!.usage).output).toBeGreaterThanOrEqual(0)
    expect(JSON.stringify(lastRequest().body)).toContain('be brief')
  })

  it('streams reasoning apart from text', async () => {
    server.answer({ text: 'so', reasoning: 'because of that' })
    const parts = await ask()
    expect(
      only(parts, 'reasoning-delta')
        .map((part) => part.delta)
        .join(''),
    ).toBe('because of that')
    expect(textOf(parts)).toBe('so')
  })

  it.each([1, 3])('calls %i tools, their arguments split over chunks', async (count) => {
    const calls = Array.from({ length: count }, (_, at) => ({
      tool: 'read',
      input: { path: `src/a/long/path/${at}.ts` },
    }))
    server.answer({ text: 'look', toolCalls: calls, fixture: { chunkSize: 5 } })
    const parts = await ask()
    const seen = only(parts, 'tool-call')
    expect(seen.map((call) => ({ tool: call.toolName, input: JSON.parse(call.input) as Json }))).toEqual(
      calls,
    )
    expect(new Set(seen.map((call) => call.toolCallId)).size).toBe(count)
    // Gemini sends arguments whole
    if (provider !== 'google' && !isJoined)
      expect(only(parts, 'tool-input-delta').length).toBeGreaterThan(3 * count)
    expect(only(parts, 'finish')[0]!.finishReason.unified).toBe('tool-calls')
  })

  it('takes a transcript with calls, results and its own reasoning back', async () => {
    server.answer(
      { text: 'look', reasoning: 'hm', toolCalls: [{ tool: 'read', input: { path: 'a' } }] },
      { text: 'done' },
    )
    const first = await ask()
    const parts = await ask({
      messages: [textMessage('user', 'go'), ...transcript(first)],
      toolChoice: 'none',
    })
    expect(textOf(parts)).toBe('done')
    const sent = JSON.stringify(lastRequest().body)
    for (const text of ['look', 'contents of a', 'cal_0']) expect(sent).toContain(text)
    expect(sent).not.toContain('item_reference')
  })

  it('is told how much to reason, in its own words, and asked again without if it does not take that', async () => {
    const bodies: string[] = []
    const raw = await startRawServer(async (request, response) => {
      bodies.push(Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString())
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"reasoning is not supported","type":"invalid_request_error"}}')
    })
    const told = await modelAt(raw.url, provider)
    await expect(told.stream(modelRequest({ effort: 'high' }))).rejects.toThrow('HTTP 400')
    await raw.close()
    expect(bodies).toHaveLength(2)
    expect(bodies[0]).toMatch(/"(reasoning_)?(effort|thinkingLevel)":"high"/)
    expect(bodies[1]).not.toMatch(/effort|thinking/i)
  })

  it('is sent the temperature of its agent, and asked again without if it does not take one', async () => {
    const bodies: string[] = []
    const raw = await startRawServer(async (request, response) => {
      bodies.push(Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString())
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"temperature is not supported","type":"invalid_request_error"}}')
    })
    const told = await modelAt(raw.url, provider, TAKES_TEMPERATURE[provider])
    await expect(told.stream(modelRequest({ temperature: 0.25 }))).rejects.toThrow('HTTP 400')
    expect(bodies.map((body) => /"temperature":0\.25/.test(body))).toEqual([true, false])
    bodies.length = 0
    await expect(told.stream(modelRequest({ temperature: 0.25 }))).rejects.toThrow('HTTP 400')
    expect(bodies.map((body) => /temperature/.test(body))).toEqual([false]) // it is not tried again
    await expect(told.stream(modelRequest())).rejects.toThrow('HTTP 400')
    expect(bodies.at(-1)).not.toMatch(/temperature/)
    await raw.close()
  })

  it.each([
    [429, 7],
    [500, undefined],
    [529, undefined],
  ])('answers %i with a retryable error', async (status, retryAfter) => {
    server.answer({ error: { status, ...(retryAfter === undefined ? {} : { retryAfter }) } })
    const error: unknown = await ask().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ status, retryable: true, retryAfterMs: retryAfter && retryAfter * 1000 })
    expect((error as Error).message).toMatch(
      new RegExp(`^${model.info.id}: HTTP ${status}: scripted ${status}$`),
    )
  })

  it('answers 400 and 401 with an error that is not retried and shows no key', async () => {
    for (const status of [400, 401]) {
      server.answer({ error: { status } })
      const error = (await ask().catch((thrown: unknown) => thrown)) as ProviderError
      expect(error).toMatchObject({ status, retryable: false })
      expect(error.message).not.toContain(TEST_KEY)
    }
  })

  it('ends with an error part when the stream is cut in the middle', async () => {
    server.answer({
      text: 'a text that is longer than this',
      fixture: { chunkSize: 2, truncateAfterChunks: 8, latency: 1 },
    })
    const last = (await ask()).at(-1)
    expect(last).toMatchObject({
      type: 'error',
      error: { code: 'provider', retryable: true, status: undefined },
    })
  })
})

describe.each(httpProviders)('%s, by hand', (provider) => {
  it('ends with an error part when the stream just ends', async () => {
    const parts = await answeredBy(provider, (response) => response.end(beginning[provider]))
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { code: 'provider', retryable: true } })
    expect(only(parts, 'finish')).toEqual([])
  })

  it('ends with an error part when the stream is garbage', async () => {
    const parts = await answeredBy(provider, (response) =>
      response.end(`${beginning[provider]}data: {"what\n\n`),
    )
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { code: 'provider', retryable: true } })
  })

  it('closes the connection on abort', async () => {
    const controller = new AbortController()
    let closed!: Promise<unknown>
    const { url, close } = await startRawServer((_, response) => {
      closed = once(response, 'close')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(beginning[provider])
    })
    const model = await modelAt(url, provider)
    const parts: ModelPart[] = []
    const reading = (async () => {
      for await (const part of readable(await model.stream(modelRequest({ signal: controller.signal })))) {
        parts.push(part)
        if (part.type === 'text-delta') controller.abort(new Error('enough'))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(textOf(parts)).toBe('hel')
    await closed
    await close()
  })

  it('says where nothing listens', async () => {
    const model = await modelAt('http://127.0.0.1:9', provider) // a port that is given to nobody who asks for any
    await expect(model.stream(modelRequest())).rejects.toMatchObject({
      code: 'provider',
      retryable: true,
      message: `${model.info.id}: no connection: nothing listens on 127.0.0.1:9`,
    })
  })

  it('follows an error page that is no JSON', async () => {
    const { url, close } = await startRawServer((_, response) =>
      response.writeHead(502).end('<h1>Bad Gateway</h1>'),
    )
    const model = await modelAt(url, provider)
    await expect(model.stream(modelRequest())).rejects.toMatchObject({ status: 502, retryable: true })
    await close()
  })
})

describe('pieces of a chat completion', () => {
  it('come when they are sent, and as one where they come together', async () => {
    const pieces = ['one', ' two', ' three', ' four']
    const [first = '', ...rest] = pieces.map(
      (content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`,
    )
    let sendRest!: () => void
    const { url, close } = await startRawServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first)
      sendRest = () =>
        response.end(`${rest.join('')}data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`)
    })
    const model = await modelAt(url, 'openai-compatible')
    const texts: string[] = []
    for await (const part of readable(await model.stream(modelRequest()))) {
      if (part.type !== 'text-delta') continue
      texts.push(part.delta)
      if (texts.length === 1) sendRest()
    }
    expect(texts).toEqual(['one', ' two three four'])
    await close()
  })
})

describe('ollama over HTTP', () => {
  it('speaks Chat Completions at OLLAMA_HOST, without a key', async () => {
    const server = await startModelServer()
    server.answer({ text: 'hello from here' })
    const env = { OLLAMA_HOST: new URL(server.url).host, OPENAI_API_KEY: TEST_KEY }
    const model = await createResolver({ env, fetch: createFetch(), clock })('ollama/qwen3:8b')
    expect(textOf(await collect(await model.stream(modelRequest({ temperature: 1.5 }))))).toBe(
      'hello from here',
    )
    const [request] = server.requests()
    const body = { model: 'qwen3:8b', temperature: 1.5 }
    expect(request).toMatchObject({ path: '/v1/chat/completions', body })
    expect(JSON.stringify(request!.headers)).not.toContain(TEST_KEY)
    await server.close()
  })
})

describe('malformed arguments', () => {
  it.each(['openai', 'openai-compatible'] as const)('%s hands them on as text', async (provider) => {
    const server = await startModelServer()
    server.answer({ toolCalls: [{ tool: 'read', input: '{"path": "a' }] })
    const parts = await collect(await (await modelAt(server.url, provider)).stream(modelRequest({ tools })))
    expect(only(parts, 'tool-call')).toMatchObject([{ toolName: 'read', input: '{"path": "a' }])
    await server.close()
  })

  it('anthropic hands them on as text', async () => {
    const parts = await answeredBy('anthropic', (response) =>
      response.end(
        anthropicEvents(
          {
            type: 'message_start',
            message: { id: 'm', model: 'x', usage: { input_tokens: 1, output_tokens: 1 } },
          },
          {
            type: 'content_block_start',
            index: 0,
            content_block: { type: 'tool_use', id: 't', name: 'read', input: {} },
          },
          {
            type: 'content_block_delta',
            index: 0,
            delta: { type: 'input_json_delta', partial_json: '{"path": "a' },
          },
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
          { type: 'message_stop' },
        ),
      ),
    )
    expect(only(parts, 'tool-call')).toMatchObject([{ toolName: 'read', input: '{"path": "a' }])
  })

  it('google says that it made a malformed call, and may be asked again', async () => {
    const chunk = {
      candidates: [{ content: { parts: [], role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL' }],
    }
    const parts = await answeredBy('google', (response) => response.end(`data: ${JSON.stringify(chunk)}\n\n`))
    expect(parts.at(-1)).toMatchObject({
      type: 'error',
      error: { retryable: true, message: expect.stringContaining('MALFORMED') },
    })
  })
})

describe('anthropic', () => {
  it('marks what is to be cached, counts it, and reports an overload inside the stream', async () => {
    let body = ''
    const { url, close } = await startRawServer((request, response) => {
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        const usage = {
          input_tokens: 10,
          output_tokens: 1,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 20,
        }
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(
            anthropicEvents(
              { type: 'message_start', message: { id: 'm', model: 'x', usage } },
              { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
              { type: 'message_stop' },
            ),
          )
      })
    })
    const model = await modelAt(url, 'anthropic')
    const messages = [textMessage('system', 'rules'), textMessage('user', 'hi')]
    const parts = await collect(await model.stream(modelRequest({ messages, tools })))
    expect(toUsage(only(parts, 'finish')[0]!.usage)).toEqual({
      input: 130,
      output: 5,
      cacheRead: 100,
      cacheWrite: 20,
      reasoning: 0,
    })
    const marked = { type: 'ephemeral' }
    expect(JSON.parse(body)).toMatchObject({
      system: [{ text: 'rules', cache_control: marked }],
      messages: [{ content: [{ text: 'hi', cache_control: marked }] }],
    })
    await close()
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const failed = await answeredBy('anthropic', (response) =>
      response.end(beginning.anthropic + anthropicEvents(overloaded)),
    )
    expect(failed.at(-1)).toMatchObject({ type: 'error', error: { status: 529, retryable: true } })
  })
})

/** What came back from the model as the messages that the loop would store, and a result for each call. */
function transcript(parts: readonly ModelPart[]): ContextMessage[] {
  const id = 'prt' as PartId
  const metadata = (part: ModelPart) => ({
    metadata: ('providerMetadata' in part && part.providerMetadata) || {},
  })
  const calls = only(parts, 'tool-call').map((call, at) => ({ call, callId: `cal_${at}` as CallId }))
  return [
    {
      role: 'assistant',
      parts: [
        ...only(parts, 'reasoning-end').map((part) => ({
          id,
          type: 'reasoning' as const,
          text: 'hm',
          ...metadata(part),
        })),
        { id, type: 'text', text: textOf(parts) },
        ...calls.map(({ call, callId }) => ({
          id,
          type: 'tool-call' as const,
          callId,
          tool: call.toolName,
          input: JSON.parse(call.input) as Json,
          ...metadata(call),
        })),
      ],
    },
    {
      role: 'tool',
      parts: calls.map(({ call, callId }) => ({
        id,
        type: 'tool-result',
        callId,
        tool: call.toolName,
        status: 'completed',
        output: { text: 'contents of a' },
      })),
    },
  ]
}

async function answeredBy(
  provider: HttpProvider,
  answer: (response: ServerResponse) => void,
): Promise<ModelPart[]> {
  const { url, close } = await startRawServer((request, response) => {
    request.resume().on('end', () => answer(response.writeHead(200, { 'content-type': 'text/event-stream' })))
  })
  const model = await modelAt(url, provider)
  const parts = await collect(await model.stream(modelRequest({ tools })))
  await close()
  return parts
}

function anthropicEvents(
  ...events: readonly { readonly type: string; readonly [field: string]: unknown }[]
): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

function dataLines(...events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

/** The beginning of an answer with the text `hel`, in each provider's protocol. */
const beginning: Readonly<Record<HttpProvider, string>> = {
  anthropic: anthropicEvents(
    { type: 'message_start', message: { id: 'm', model: 'x', usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hel' } },
  ),
  openai: dataLines(
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'x' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i' } },
    { type: 'response.output_text.delta', item_id: 'i', delta: 'hel' },
  ),
  'openai-compatible': dataLines({
    id: 'c',
    created: 1,
    model: 'x',
    choices: [{ index: 0, delta: { content: 'hel' } }],
  }),
  google: dataLines({ candidates: [{ content: { role: 'model', parts: [{ text: 'hel' }] } }] }),
}
