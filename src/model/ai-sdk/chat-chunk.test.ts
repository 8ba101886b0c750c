import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPlainChunk, readChunk, type ChunkSchema } from './chat-chunk.ts'

const chunk = (choice: object) => ({
  id: 'a',
  created: 1_760_000_000,
  model: 'm',
  choices: [{ index: 0, ...choice }],
})
/** As this version of the package has it. */
const { chunkSchema: schema } = createOpenAICompatible({
  name: 'test',
  baseURL: 'http://127.0.0.1',
}).chatModel('m') as unknown as { readonly chunkSchema: ChunkSchema }

describe('readChunk', () => {
  it('asks the schema about what is not plain, and takes what it makes of it', () => {
    const asked: unknown[] = []
    const safeParse = (value: unknown) => {
      asked.push(value)
      return schema.safeParse(value)
    }
    const plain = chunk({ delta: { content: 'one' } })
    expect(readChunk(JSON.stringify(plain), { safeParse })).toEqual({ chunk: plain })
    expect(asked).toEqual([])
    const odd = chunk({ delta: { content: 'one', refusal: { why: 'none' } } })
    expect(readChunk(JSON.stringify(odd), { safeParse })).toMatchObject({
      chunk: { choices: [{ delta: { content: 'one', refusal: undefined } }] },
    })
    expect(asked).toEqual([odd])
  })

  it.each([
    ['what is no JSON', '{', 'AI_JSONParseError'],
    ['what is no chunk', '3', 'AI_TypeValidationError'],
    ['choices that are none', '{"choices":"none"}', 'AI_TypeValidationError'],
    ['a delta that is none', JSON.stringify(chunk({ delta: 7 })), 'AI_TypeValidationError'],
  ])('says of %s what is wrong', (_, data, name) => {
    expect(readChunk(data, schema)).toEqual({ error: expect.objectContaining({ name }) })
  })

  it('hands on the error that a server sends, beside a choice too, and takes null for none', () => {
    const error = { message: 'overloaded', code: 529 }
    expect(readChunk(JSON.stringify({ error }), schema)).toEqual({ error })
    expect(readChunk(JSON.stringify({ choices: [], error }), schema)).toEqual({ error })
    expect(readChunk('{"error":"overloaded"}', schema)).toEqual({ error: { message: 'overloaded' } })
    expect(readChunk('{"choices":[],"error":null}', schema)).toMatchObject({ chunk: { choices: [] } })
  })
})

describe('a plain chunk', () => {
  const text = fc.option(fc.string())
  const number = fc.option(fc.integer())
  const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })
  const usage = some({
    prompt_tokens: number,
    completion_tokens: number,
    prompt_tokens_details: fc.option(some({ cached_tokens: number, other: fc.jsonValue() })),
    completion_tokens_details: fc.option(some({ reasoning_tokens: number })),
    other: fc.jsonValue(),
  })
  const call = some({
    index: fc.nat(),
    id: text,
    type: fc.constant('function'),
    function: some({ name: text, arguments: text }),
  })
  const levels = fc
    .tuple(
      some({ id: text, object: text, created: number, model: text, usage: fc.option(usage) }),
      some({ index: fc.nat(), finish_reason: text, logprobs: fc.jsonValue() }),
      some({
        role: fc.constantFrom('assistant', '', null),
        content: text,
        reasoning: text,
        reasoning_content: text,
        tool_calls: fc.option(fc.array(call, { maxLength: 2 })),
      }),
    )
    .map((parts) => parts as [object, object, object])
  const names = ['id', 'created', 'usage', 'choices', 'delta', 'finish_reason', 'role', 'content']
  const others = [
    'reasoning',
    'refusal',
    'tool_calls',
    'error',
    'extra',
    'function',
    'arguments',
    'prompt_tokens',
  ]
  const changes = fc.array(
    fc.record({
      level: fc.nat(4),
      name: fc.constantFrom(...names, ...others),
      value: fc.oneof(fc.jsonValue(), fc.constantFrom(Infinity, undefined)),
    }),
    { maxLength: 1 },
  )
  const chunks = fc.tuple(levels, changes).map(([[outer, inner, delta], changes]) => {
    const choice: object = { ...inner, delta }
    const chunk: object = { ...outer, choices: [choice] }
    const { tool_calls: calls } = delta as { tool_calls?: object[] | null }
    const { usage } = outer as { usage?: object | null }
    for (const { level, name, value } of changes)
      Object.assign([chunk, choice, delta, calls?.[0], usage][level] ?? {}, { [name]: value })
    return chunk
  })

  it('is one that the schema takes, with the same fields of what it keeps', () => {
    const taken = { all: 0, calls: 0, usage: 0 }
    fc.assert(
      fc.property(chunks, (chunk) => {
        if (!isPlainChunk(chunk)) return
        taken.all++
        const { success, data } = schema.safeParse(chunk)
        expect(success).toBe(true)
        expect(chunk).toMatchObject(data as object)
        const { choices, usage } = data as Kept
        if (choices[0]?.delta?.tool_calls?.length) taken.calls++
        if (usage) taken.usage++
      }),
      { numRuns: 3_000 },
    )
    for (const times of Object.values(taken)) expect(times).toBeGreaterThan(300)
  })

  it.each([
    ['text', { content: 'one' }, true],
    ['the first of an answer', { role: 'assistant', content: '' }, true],
    ['reasoning', { reasoning_content: 'hm' }, true],
    ['a call', { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] }, true],
    ['more of a call', { tool_calls: [{ index: 0, function: { arguments: '{}' } }] }, true],
    ['a call of nothing', { tool_calls: [{ index: 0 }] }, false],
    ['a call with more', { tool_calls: [{ function: {}, extra_content: {} }] }, false],
    ['parts', { content: [{ type: 'text', text: 'one' }] }, false],
    ['a refusal', { refusal: 'no' }, false],
    ['another role', { role: 'user' }, false],
  ])('%s: %j is %s', (_, delta, expected) => {
    expect(isPlainChunk(chunk({ delta, finish_reason: null }))).toBe(expected)
  })

  it.each([
    ['figures', { choices: [], usage: { prompt_tokens: 1, other: [] } }, true],
    ['an end without a delta', { choices: [{ finish_reason: 'stop' }] }, true],
    ['no choices', { id: 'a' }, false],
    ['a figure that is none', { choices: [], usage: { prompt_tokens: '1' } }, false],
    ['an error', { choices: [], error: { message: 'no' } }, false],
  ])('%s: %j is %s', (_, value, expected) => {
    expect(isPlainChunk(value)).toBe(expected)
  })
})

interface Kept {
  readonly choices: readonly { readonly delta?: { readonly tool_calls?: readonly object[] } }[]
  readonly usage?: object
}
