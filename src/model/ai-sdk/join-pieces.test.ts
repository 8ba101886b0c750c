import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HttpBody, HttpBodyRead } from '../body.ts'
import { Joiner, joinPieces } from './join-pieces.ts'

const ENVELOPE = { id: 'a', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'm' }

function event(delta: object, more: object = { finish_reason: null }): string {
  return line({ ...ENVELOPE, choices: [{ index: 0, delta, ...more }] })
}

function line(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

const text = (content: string) => event({ content })
const call = (fields: object) => event({ tool_calls: [{ index: 0, ...fields }] })
const more = (piece: string) => call({ function: { arguments: piece } })

/** What comes out for these chunks. */
function joined(...chunks: readonly string[]): string {
  const joiner = new Joiner()
  const now = chunks.map((chunk) => joiner.take(Buffer.from(chunk)))
  return Buffer.concat([...now, joiner.rest()]).toString()
}

describe('joinPieces', () => {
  it.each([
    [
      'text, with the first of an answer',
      event({ role: 'assistant', content: '' }) + text('on') + text('e "tw') + text('o"\n'),
      event({ role: 'assistant', content: 'one "two"\n' }),
    ],
    [
      'text of a server that always says whose it is',
      event({ role: 'assistant', content: 'one' }) + event({ role: 'assistant', content: ' two' }),
      event({ role: 'assistant', content: 'one two' }),
    ],
    [
      'reasoning beside an empty text',
      event({ content: null, reasoning_content: 'h' }) + event({ content: null, reasoning_content: 'm' }),
      event({ content: null, reasoning_content: 'hm' }),
    ],
    [
      'the arguments of a call, with its beginning',
      call({ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }) +
        more('{"a"') +
        more(':1}'),
      call({ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }),
    ],
    [
      'half a character',
      text('\ud83d') + text('\ude00'),
      event({ content: '\ud83d' }).replace('\\ud83d', '\\ud83d\\ude00'),
    ],
  ])('joins %s', (_, given, expected) => {
    expect(joined(given)).toBe(expected)
  })

  it.each([
    ['text and reasoning', text('one') + event({ reasoning_content: 'two' })],
    ['both in one', event({ content: 'a', reasoning: 'b' }) + event({ content: 'c', reasoning: 'b' })],
    [
      'two calls',
      call({ function: { name: 'f', arguments: '{}' } }) + call({ function: { name: 'f', arguments: '{}' } }),
    ],
    ['calls of two places', more('a') + event({ tool_calls: [{ index: 1, function: { arguments: 'b' } }] })],
    [
      'several calls at once',
      event({
        tool_calls: [
          { index: 0, function: { arguments: 'a' } },
          { index: 1, function: { arguments: 'x' } },
        ],
      }) +
        event({
          tool_calls: [
            { index: 0, function: { arguments: 'b' } },
            { index: 1, function: { arguments: 'x' } },
          ],
        }),
    ],
    ['text and its end', text('one') + event({ content: ' two' }, { finish_reason: 'stop' })],
    [
      'figures that grow',
      line({ ...ENVELOPE, usage: { completion_tokens: 1 }, choices: [{ delta: { content: 'a' } }] }) +
        line({ ...ENVELOPE, usage: { completion_tokens: 2 }, choices: [{ delta: { content: 'b' } }] }),
    ],
    [
      'a second call in the place of one',
      call({ function: { name: 'f', arguments: '' } }) +
        call({ id: 'd', function: { name: 'f', arguments: '' } }) +
        more('{}'),
    ],
    [
      'another delta beside that of the answer',
      line({ meta: { delta: { content: 'm' } }, choices: [{ delta: { content: 'a' } }] }).repeat(2),
    ],
    ['what is no JSON', text('one') + text('two').replace('two', 'tw\\o')],
    ['text around a comment', `${text('one')}: alive\n\n${text('two')}`],
    [
      'whole messages',
      line({ choices: [{ message: { content: 'a' } }] }) + line({ choices: [{ message: { content: 'b' } }] }),
    ],
    ['other ends of lines', (text('one') + text('two')).replaceAll('\n', '\r\n')],
    ['an event that is cut', text('one') + text('two').slice(0, -1)],
  ])('leaves %s', (_, given) => {
    expect(joined(given)).toBe(given)
  })

  it('sees that a place has its call when an event was cut, and that nothing came', () => {
    const named = (id: string) => call({ id, function: { name: 'f', arguments: '' } })
    for (const chunks of [
      ['', named('c'), named('d') + more('{}')],
      [named('c').slice(0, 99), named('c').slice(99) + named('d') + more('{}')],
    ])
      expect(joined(...chunks)).toBe(chunks.join(''))
  })

  it('hands on the bytes where there is nothing to join, with what a chunk cuts', () => {
    const bytes = Buffer.from(text('über')).subarray(0, -60)
    const joiner = new Joiner()
    expect(joiner.take(bytes)).toEqual(bytes)
    const rest = Buffer.from(`${text('über').slice(-59)}${text('a')}${text('b')}`)
    expect(Buffer.from(joiner.take(rest)).toString()).toBe(`${text('über').slice(-59)}${text('ab')}`)
  })

  it('hands the end on with the end of the body, and all before it at once', async () => {
    const end = [
      event({}, { finish_reason: 'stop' }),
      line({ ...ENVELOPE, choices: [], usage: {} }),
      'data: [DONE]\n\n',
    ]
    const chunks = [`${text('one')}${end[0]}`, ...end.slice(1)].map((chunk) => Buffer.from(chunk))
    const reader = joinPieces(bodyOf(chunks)).getReader()
    const read = async () => Buffer.from((await reader.read()).value ?? []).toString()
    expect(await read()).toBe(text('one'))
    expect(await read()).toBe(end.join(''))
    expect(await reader.read()).toEqual({ done: true })
    expect(await reader.read()).toEqual({ done: true })
  })

  const stop = event({}, { finish_reason: 'stop' })
  const figures = line({ ...ENVELOPE, choices: [], usage: {} })
  it.each([
    ['an empty reason in every piece', [text('one'), text('two')].map((each) => each.replace('null', '""'))],
    ['a reason in every piece', [text('one'), text('two')].map((each) => each.replace('null', '"stop"'))],
    ['text with the reason', [event({ role: 'assistant', content: 'all' }, { finish_reason: 'stop' })]],
    [
      'a call with the reason',
      [event({ tool_calls: [{ index: 0, function: {} }] }, { finish_reason: 'tool_calls' })],
    ],
    ['an error with a reason', [line({ error: {}, choices: [{ delta: {}, finish_reason: 'error' }] })]],
    ['text after the reason', [stop + text('more')]],
    ['the beginning of another event after the reason', [stop + text('more').slice(0, 20)]],
    ['an error after the reason', [stop + line({ error: { message: 'no' } })]],
    ['a reason that is cut', [stop.slice(0, -1)]],
  ])('keeps nothing for the end: %s', (_, chunks) => {
    const joiner = new Joiner()
    for (const chunk of chunks) expect(Buffer.from(joiner.take(Buffer.from(chunk))).toString()).toBe(chunk)
    expect(joiner.rest()).toHaveLength(0)
  })

  it.each([
    ['text', text('more')],
    ['an error', line({ error: { message: 'no' } })],
    ['half an event', figures.slice(0, -1)],
    ['what is too long', `: ${'x'.repeat(20_000)}\n\n`],
  ])('lets go of the end when %s comes behind it, in the order in which it came', (_, more) => {
    const joiner = new Joiner()
    const take = (chunk: string) => Buffer.from(joiner.take(Buffer.from(chunk))).toString()
    expect(take(text('one') + stop)).toBe(text('one'))
    expect(take(figures + ': alive\n\n')).toBe('')
    expect(take(more)).toBe(`${stop}${figures}: alive\n\n${more}`)
    expect(joiner.rest()).toHaveLength(0)
  })

  it('keeps an end that comes behind another', () => {
    const joiner = new Joiner()
    const take = (chunk: string) => Buffer.from(joiner.take(Buffer.from(chunk))).toString()
    expect(take(stop)).toBe('')
    expect(take(text('one') + stop + figures)).toBe(stop + text('one'))
    expect(Buffer.from(joiner.rest()).toString()).toBe(stop + figures)
  })

  it('hands on what it kept before it says that the body broke off', async () => {
    const last = event({}, { finish_reason: 'stop' })
    const reader = joinPieces(bodyOf([Buffer.from(last)], new Error('cut'))).getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(last)
    await expect(reader.read()).rejects.toThrow('cut')
    await expect(reader.read()).rejects.toThrow('cut')
  })

  it('passes on that nothing more is wanted', async () => {
    const told: unknown[] = []
    const source = new ReadableStream<Uint8Array>({ cancel: (reason) => void told.push(reason) })
    const body = joinPieces(source)
    const reader = body.getReader()
    await reader.cancel('enough')
    reader.releaseLock()
    expect(told).toEqual(['enough'])
    await expect(body.cancel()).resolves.toBeUndefined()
  })

  it('changes nothing of what the package makes of an answer, however it is cut', async () => {
    let shorter = 0
    const check = fc.asyncProperty(
      answers,
      fc.array(fc.nat(2_000), { maxLength: 6 }),
      async (answer, cuts) => {
        const chunks = cut(Buffer.from(answer.join('')), cuts)
        const plain = await partsOf(bodyOf(chunks))
        const joins = await partsOf(joinPieces(bodyOf(chunks)))
        if (joins.length < plain.length) shorter++
        expect(together(joins)).toEqual(together(plain))
      },
    )
    await fc.assert(check, { numRuns: 400 })
    expect(shorter).toBeGreaterThan(100)
  })
})

const pieces = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '{"key":', '"a"}', '\\', '"', '\n'),
)
const index = fc.nat(1)
const deltas = fc.oneof(
  { weight: 6, arbitrary: fc.record({ content: pieces }) },
  { weight: 2, arbitrary: fc.record({ role: fc.constant('assistant'), content: pieces }) },
  { weight: 2, arbitrary: fc.record({ content: fc.constant(null), reasoning_content: pieces }) },
  { weight: 1, arbitrary: fc.record({ content: pieces, reasoning: pieces }) },
  {
    weight: 4,
    arbitrary: fc
      .record({ index, function: fc.record({ arguments: pieces }) })
      .map((each) => ({ tool_calls: [each] })),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        index,
        id: fc.string(),
        type: fc.constant('function'),
        function: fc.record({ name: fc.constant('f'), arguments: pieces }),
      })
      .map((each) => ({ tool_calls: [each] })),
  },
  { weight: 1, arbitrary: fc.constant({}) },
)
const events = fc.oneof(
  { weight: 12, arbitrary: deltas.map((delta) => event(delta)) },
  { weight: 1, arbitrary: deltas.map((delta) => event(delta, { finish_reason: 'stop' })) },
  { weight: 1, arbitrary: deltas.map((delta) => event(delta, { finish_reason: '' })) },
  { weight: 1, arbitrary: fc.constant(line({ ...ENVELOPE, choices: [], usage: { prompt_tokens: 1 } })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ': alive\n\n',
      line({ error: { message: 'no' } }),
      'data: {\n\n',
      'data: [DONE]\n\n',
    ),
  },
)
/** The same kind of event often comes several times. */
const answers = fc
  .array(fc.tuple(events, fc.nat(3)), { maxLength: 8 })
  .map((all) => all.flatMap(([each, again]) => [each, ...Array.from({ length: again }, () => each)]))
  .map(oneCallAPlace)

/** Where two calls say that they are in one place, the package does not know whose the rest is, and drops it. */
function oneCallAPlace(all: readonly string[]): string[] {
  const taken = new Set<string>()
  return all.filter((each) => {
    const [place] = /"index":\d,"id"/.exec(each) ?? []
    return place === undefined || (!taken.has(place) && taken.add(place))
  })
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [
    0,
    ...at.map((each) => Math.min(each, bytes.length)).toSorted((a, b) => a - b),
    bytes.length,
  ]
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end))
}

function bodyOf(chunks: readonly Uint8Array[], error?: Error): HttpBody {
  let next = 0
  const read = async (): Promise<HttpBodyRead> => {
    const value = chunks[next++]
    if (!value && error) throw error
    return value ? { done: false, value } : { done: true }
  }
  return { getReader: () => ({ read, cancel: async () => {}, releaseLock() {} }), cancel: async () => {} }
}

async function partsOf(body: HttpBody): Promise<LanguageModelV4StreamPart[]> {
  const fetch = async () => ({ ok: true, status: 200, statusText: '', headers: new Map(), body }) as never
  const model = createOpenAICompatible({ name: 'test', baseURL: 'http://127.0.0.1', fetch }).chatModel('m')
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  })
  const parts: LanguageModelV4StreamPart[] = []
  try {
    for await (const part of stream) parts.push(part)
  } catch (error) {
    parts.push({ type: 'error', error: String(error) })
  }
  return parts
}

/** Deltas that follow one another as one, empty ones as none; ids that the package makes up as their places; errors by what they say. */
function together(parts: readonly LanguageModelV4StreamPart[]): object[] {
  const result: { type: string; id?: string; delta?: string }[] = []
  const madeUp = new Map<string, number>()
  const place = (id: string) => madeUp.get(id) ?? madeUp.set(id, madeUp.size).size - 1
  for (const part of parts) {
    const next: Record<string, unknown> & { type: string } = { ...part }
    for (const name of ['id', 'toolCallId']) if (name in next) next[name] = place(String(next[name]))
    if (next.type === 'error') next['error'] = String(next['error'])
    const last = result.at(-1)
    if (next['delta'] === '') continue
    if ('delta' in next && last?.type === next.type && last.id === next['id'])
      last.delta += String(next['delta'])
    else result.push(next)
  }
  return result
}
