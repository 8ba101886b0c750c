import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, type LanguageModelV4, type LanguageModelV4StreamPart } from '@ai-sdk/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import type { HttpBody, HttpBodyRead } from '../http-body.ts'
import { ChatModel } from './chat-completions.ts'

const ENVELOPE = { id: 'a', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'm' }
const line = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
const event = (delta: object, more: object = { finish_reason: null }) =>
  line({ ...ENVELOPE, choices: [{ index: 0, delta, ...more }] })
const end = (reason = 'stop') => event({}, { finish_reason: reason })
const text = (content: string) => event({ content })
const DONE = 'data: [DONE]\n\n'
const call = (fields: object) => event({ tool_calls: [{ index: 0, ...fields }] })
const named = (name: string, more: object = {}) =>
  call({ id: `id of ${name}`, type: 'function', function: { name, arguments: '' }, ...more })
const more = (piece: string) => call({ function: { arguments: piece } })

describe('an answer', () => {
  const usage = {
    prompt_tokens: 7,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 3 },
  }
  it.each([
    ['text', text('one') + text(' two') + end()],
    ['text behind reasoning', event({ reasoning_content: 'hm' }) + text('one') + end()],
    ['reasoning by another name, behind text', text('one') + event({ reasoning: 'hm' }) + end()],
    ['a call', named('f') + more('{"a"') + more(':1}') + end('tool_calls')],
    ['a call behind reasoning', event({ reasoning: 'hm' }) + named('f') + more('{}') + end('tool_calls')],
    ['a call with a signature', named('f', signature('s')) + more('{}') + end('tool_calls')],
    ['a name that comes late', more('{"a":') + more('1') + named('f') + more('}') + end('tool_calls')],
    ['a name that never comes', more('{}') + end()],
    ['two calls in one place', named('f') + more('{}') + named('g') + more('{}') + end('tool_calls')],
    [
      'calls without places',
      line({ choices: [{ delta: { tool_calls: [placeless('f'), placeless('g')] } }] }) + end(),
    ],
    ['parts of a content', event({ content: [part('one'), thinking('hm'), { type: 'image' }] }) + end()],
    ['a refusal', event({ refusal: 'no' }) + end()],
    ['a refusal that is none', event({ refusal: { reason: 'no' } }) + end()],
    ['figures', text('one') + end() + line({ ...ENVELOPE, choices: [], usage })],
    [
      'figures before the end',
      line({ ...ENVELOPE, usage, choices: [{ delta: { content: 'one' } }] }) + end(),
    ],
    ['each reason', ['length', 'content_filter', 'function_call', 'odd', ''].map(end).join('')],
    ['an empty reason', text('one') + end('')],
    ['no reason', text('one')],
    ['nothing', ''],
    ['no choices', line(ENVELOPE) + text('one') + end()],
    ['an error', text('one') + line({ error: { message: 'overloaded', code: 529 } }) + end()],
    ['an error beside a choice', line({ ...ENVELOPE, choices: [], error: { message: 'no' } }) + end()],
    ['what is no JSON', `${text('one')}data: {\n\n${end()}`],
    ['what is no chunk', text('one') + line({ choices: 'none' }) + end()],
    ['a delta that is none', line({ choices: [{ delta: 7 }] }) + end()],
    ['comments and other fields', `: alive\n\nevent: x\nid: 3\n${text('one')}${end()}${DONE}`],
    ['other ends of lines', (text('one') + end()).replaceAll('\n', '\r\n')],
    ['a beginning that says what it is', `\uFEFF${text('one')}${end()}`],
    ['an event that is cut', text('one') + end() + text('two').slice(0, -1)],
    [
      'bytes that are no text',
      Buffer.concat([Buffer.from('data: "'), Buffer.from([255]), Buffer.from(text('one') + end())]),
    ],
  ])('of %s is what the package makes of it', async (_, answer) => {
    const chunks = [Buffer.from(answer)]
    const parts = await partsOf(own(chunks))
    expect(together(parts)).toEqual(together(await partsOf(packaged(chunks))))
    expect(parts.length).toBeGreaterThan(0)
  })

  it('is what the package makes of it, whatever comes and however it is cut', async () => {
    const seen = { calls: 0, errors: 0, finishes: 0 }
    const check = fc.asyncProperty(
      answers,
      fc.array(fc.nat(2_000), { maxLength: 6 }),
      async (answer, cuts) => {
        const chunks = cut(Buffer.from(answer.join('')), cuts)
        const parts = together(await partsOf(own(chunks)))
        const expected = together(await partsOf(packaged(chunks)))
        // the streams of the package forget what stands before an error that is thrown in one
        if (isThrown(expected.at(-1))) expect(parts.at(-1)).toEqual(expected.at(-1))
        else expect(parts).toEqual(expected)
        for (const { type } of parts) {
          if (type === 'tool-call') seen.calls++
          if (type === 'error') seen.errors++
          if (type === 'finish') seen.finishes++
        }
      },
    )
    await fc.assert(check, { numRuns: 600 })
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(50)
  })

  it('of pieces that arrive together has one for each text', async () => {
    const chunks = [Buffer.from(text('one') + text(' two')), Buffer.from(text(' three') + end())]
    const deltas = (await partsOf(own(chunks))).flatMap((each) => ('delta' in each ? [each.delta] : []))
    expect(deltas).toEqual(['one two', ' three'])
  })

  it('is read on only when a part is asked for', async () => {
    let reads = 0
    const body = bodyOf([Buffer.from(text('one')), Buffer.from(text('two') + end())], () => void reads++)
    const { stream } = await own(body).doStream(ASKED)
    expect(reads).toBe(0)
    const reader = stream.getReader()
    for (const type of ['stream-start', 'text-start', 'text-delta'])
      expect(await reader.read()).toMatchObject({ value: { type } })
    expect(reads).toBe(1)
  })

  it('goes on where a server says that there was no error', async () => {
    const chunk = line({ choices: [{ delta: { content: 'one' } }], error: null })
    expect(together(await partsOf(own([Buffer.from(chunk + end())])))).toMatchObject([
      { type: 'text-start' },
      { type: 'text-delta', delta: 'one' },
      { type: 'text-end' },
      { type: 'finish' },
    ])
  })

  it('that breaks off tells what came, and then why', async () => {
    const body = bodyOf([Buffer.from(text('one'))], (no) => {
      if (no === 1) throw new Error('reset')
    })
    const parts = await partsOf(own(body))
    expect(parts.map(({ type }) => type)).toEqual(['stream-start', 'text-start', 'text-delta', 'error'])
    const { error } = parts.at(-1) as { readonly error: unknown }
    expect(APICallError.isInstance(error) && error).toMatchObject({
      statusCode: 200,
      cause: new Error('reset'),
    })
  })

  it('is over with its last event, whatever the server does with the connection', async () => {
    const never = Promise.withResolvers<HttpBodyRead>()
    const { stream } = await own(
      bodyOf([Buffer.from(text('one') + end() + DONE)], () => never.promise),
    ).doStream(ASKED)
    const reader = stream.getReader()
    const types: string[] = []
    for (let last = ''; last !== 'finish'; types.push(last)) last = (await reader.read()).value!.type
    expect(types).toEqual(['stream-start', 'text-start', 'text-delta', 'text-end', 'finish'])
    const isOpen = reader.read().then(() => 'over')
    never.resolve({ done: true })
    await expect(isOpen).resolves.toBe('over')
  })

  it('has nothing behind its last event', async () => {
    const chunks = [Buffer.from(text('one') + end() + DONE), Buffer.from(text('two') + end('length'))]
    expect(together(await partsOf(own(chunks)))).toEqual(together(await partsOf(own(chunks.slice(0, 1)))))
  })

  it('tells of each event that something came, and before the first that it began', async () => {
    const chunks = [event({ role: 'assistant', content: '' }), more('{'), ': alive\n\n', named('f')]
    const { stream } = await own(bodyOf(chunks.map((each) => Buffer.from(each)))).doStream(ASKED)
    const reader = stream.getReader()
    const types: string[] = []
    for (let i = 0; i < 4; i++) types.push((await reader.read()).value!.type)
    expect(types).toEqual(['stream-start', 'response-metadata', 'response-metadata', 'tool-input-start'])
  })

  it('with names of what every object has changes nothing but itself', async () => {
    const odd =
      '{"choices":[{"delta":{"content":"one","__proto__":{"polluted":1}},"constructor":{"prototype":{"polluted":1}}}]}'
    const parts = together(await partsOf(own([Buffer.from(`data: ${odd}\n\n${end()}`)])))
    expect(parts.at(-1)).toMatchObject({ type: 'finish' })
    expect('polluted' in {}).toBe(false)
  })

  it('that nobody wants any more ends what is read', async () => {
    const told: unknown[] = []
    const body = bodyOf(
      [],
      () => {},
      (reason) => void told.push(reason),
    )
    const { stream } = await own(body).doStream(ASKED)
    await stream.cancel('enough')
    expect(told).toEqual(['enough'])
  })
})

describe('a request', () => {
  const options = {
    prompt: [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] },
    ],
    tools: [{ type: 'function' as const, name: 'f', inputSchema: { type: 'object' as const } }],
    toolChoice: { type: 'auto' as const },
    maxOutputTokens: 9,
    reasoning: 'high' as const,
  }

  it.each([
    ['with a key', 'sk-1'],
    ['without one', undefined],
    ['with an empty one', ''],
  ])('%s is that of the package', async (_, apiKey) => {
    const asked: Request[] = []
    const fetch = async (url: string, init: RequestInit) => {
      asked.push(new Request(url, init))
      return new Response(end())
    }
    const settings = { ...SETTINGS, ...(apiKey !== undefined && { apiKey }), fetch: fetch as never }
    await new ChatModel('m', settings).doStream(options)
    await createOpenAICompatible({ ...settings, includeUsage: true })
      .chatModel('m')
      .doStream(options)
    const [ours, theirs] = await Promise.all(asked.map(told))
    expect(ours).toEqual(theirs)
    expect(ours!.headers['user-agent']).toContain('ai-sdk')
    expect(ours).toMatchObject({ url: 'http://127.0.0.1/v1/chat/completions', body: { stream: true } })
  })

  it('that is refused is the error of the package', async () => {
    const refuse = async () => Response.json({ error: { message: 'slower', code: 'slow' } }, { status: 429 })
    const model = new ChatModel('m', { ...SETTINGS, fetch: refuse })
    const refused = { message: 'slower', statusCode: 429, isRetryable: true }
    await expect(model.doStream(ASKED)).rejects.toMatchObject(refused)
  })

  it('that is given up ends with the reason', async () => {
    const fetch = async (_: unknown, init?: RequestInit) =>
      await new Promise<Response>((_resolve, reject) => {
        init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason as Error))
      })
    const giveUp = new AbortController()
    const asked = new ChatModel('m', { ...SETTINGS, fetch }).doStream({
      ...ASKED,
      abortSignal: giveUp.signal,
    })
    const reason = new Error('no longer')
    setImmediate(() => giveUp.abort(reason))
    await expect(asked).rejects.toBe(reason)
  })

  it('is made and read by the package alone where that no longer has what is used of it', async () => {
    const chunks = [Buffer.from(text('one') + end())]
    const model = Object.assign(own(chunks), { chunkSchema: undefined })
    await expect(partsOf(model)).resolves.toContainEqual({ type: 'stream-start', warnings: [] })
  })
})

const SETTINGS = { name: 'test', baseURL: 'http://127.0.0.1/v1' }
const ASKED = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }] }

const signature = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } })
const placeless = (name: string) => ({ id: name, function: { name, arguments: '{}' } })
const part = (content: string) => ({ type: 'text', text: content })
const thinking = (content: string) => ({ type: 'thinking', thinking: [part(content), { type: 'odd' }, null] })

const pieces = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('', '{"key":', '"a"}', '{}', '\\', '"', '\n'),
)
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 2 })
const calls = fc.record({
  index: fc.constantFrom(0, 0, 1, undefined, null),
  id: fc.constantFrom(undefined, undefined, 'x', 'y', ''),
  type: fc.constantFrom('function', undefined),
  function: fc.record({
    name: fc.constantFrom(undefined, undefined, 'f', 'g', ''),
    arguments: maybe(pieces),
  }),
  extra_content: fc.constantFrom(undefined, undefined, null, signature('s').extra_content),
})
const deltas = fc.oneof(
  { weight: 6, arbitrary: fc.record({ content: pieces }) },
  { weight: 2, arbitrary: fc.record({ role: fc.constant('assistant'), content: pieces }) },
  { weight: 2, arbitrary: fc.record({ content: fc.constant(null), reasoning_content: pieces }) },
  { weight: 1, arbitrary: fc.record({ content: pieces, reasoning: pieces, refusal: maybe(pieces) }) },
  { weight: 1, arbitrary: pieces.map((each) => ({ content: [part(each), thinking(each)] })) },
  {
    weight: 4,
    arbitrary: fc.array(calls, { minLength: 1, maxLength: 2 }).map((tool_calls) => ({ tool_calls })),
  },
  { weight: 1, arbitrary: fc.constant({}) },
)
const reasons = fc.constantFrom(null, undefined, 'stop', 'tool_calls', '')
const events = fc.oneof(
  { weight: 12, arbitrary: deltas.map((delta) => event(delta)) },
  {
    weight: 3,
    arbitrary: fc.tuple(deltas, reasons).map(([delta, finish_reason]) => event(delta, { finish_reason })),
  },
  { weight: 1, arbitrary: fc.constant(line({ ...ENVELOPE, choices: [], usage: { prompt_tokens: 1 } })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ': alive\n\n',
      line({ error: { message: 'no' } }),
      line({ choices: [{ delta: { content: 1 } }] }),
      'data: {\n\n',
    ),
  },
)
/** The same kind of event often comes several times. */
const answers = fc
  .array(fc.tuple(events, fc.nat(3)), { maxLength: 8 })
  .map((all) => all.flatMap(([each, again]) => [each, ...Array.from({ length: again }, () => each)]))
  .chain((all) => fc.constantFrom(all, [...all, end()], [...all, end(), DONE]))

function own(answer: readonly Uint8Array[] | HttpBody): ChatModel {
  return new ChatModel('m', { ...SETTINGS, fetch: fetchOf(answer) })
}

function packaged(answer: readonly Uint8Array[]): LanguageModelV4 {
  return createOpenAICompatible({ ...SETTINGS, fetch: fetchOf(answer) }).chatModel('m')
}

function fetchOf(answer: readonly Uint8Array[] | HttpBody): typeof fetch {
  const body = 'getReader' in answer ? answer : bodyOf(answer)
  return async () => ({ ok: true, status: 200, statusText: '', headers: new Map(), body }) as never
}

function bodyOf(
  chunks: readonly Uint8Array[],
  onRead: (no: number) => Promise<HttpBodyRead> | void = () => {},
  onCancel: (reason: unknown) => void = () => {},
): HttpBody {
  let next = 0
  const read = async (): Promise<HttpBodyRead> => {
    const later = onRead(next)
    const value = chunks[next++]
    return value ? { done: false, value } : ((await later) ?? { done: true })
  }
  const cancel = async (reason: unknown) => onCancel(reason)
  return { getReader: () => ({ read, cancel, releaseLock() {} }), cancel }
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const ends = at.map((each) => Math.min(each, bytes.length)).toSorted((a, b) => a - b)
  const places = [0, ...ends, bytes.length]
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end))
}

async function told(request: Request) {
  const { url, method, headers } = request
  return { url, method, headers: Object.fromEntries(headers), body: (await request.json()) as object }
}

async function partsOf(model: LanguageModelV4): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(ASKED)
  const parts: LanguageModelV4StreamPart[] = []
  try {
    for await (const each of stream) parts.push(each)
  } catch (error) {
    parts.push({ type: 'error', error })
  }
  return parts
}

type Told = { type: string; id?: string; delta?: string } & Record<string, unknown>

/**
 * What the loop reads of an answer: up to its first error, deltas that follow one another as one and empty ones as none,
 * ids that were made up by their places, errors by what they say.
 */
function together(parts: readonly LanguageModelV4StreamPart[]): Told[] {
  const result: Told[] = []
  const madeUp = new Map<string, number>()
  const place = (id: string) => madeUp.get(id) ?? madeUp.set(id, madeUp.size).size - 1
  for (const each of parts) {
    const next: Told = { ...each }
    if (next.type === 'error') return [...result, { type: 'error', error: String(next['error']) }]
    if (next.type === 'stream-start' || next.type === 'response-metadata' || next.delta === '') continue
    for (const name of ['id', 'toolCallId']) if (name in next) next[name] = place(String(next[name]))
    if (next.type === 'finish')
      Object.assign(next, {
        providerMetadata: undefined,
        usage: { ...(next['usage'] as object), raw: undefined },
      })
    const last = result.at(-1)
    if (next.delta !== undefined && last?.type === next.type && last.id === next.id) last.delta += next.delta
    else result.push(next)
  }
  return result
}

function isThrown(part: Told | undefined): boolean {
  return /Expected 'function\.name'/.test(String(part?.['error']))
}
