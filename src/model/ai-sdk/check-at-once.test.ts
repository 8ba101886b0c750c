import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkAtOnce, isPlainChunk } from './check-at-once.ts'

const chunk = (choice: object) => ({
  id: 'a',
  created: 1_760_000_000,
  model: 'm',
  choices: [{ index: 0, ...choice }],
})
const ANSWERS: Record<string, readonly unknown[]> = {
  'text, a call, and the usage': [
    chunk({ delta: { role: 'assistant', content: 'one ' } }),
    chunk({ delta: { content: 'two', extra: [1] } }),
    chunk({ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] } }),
    chunk({ delta: {}, finish_reason: 'tool_calls' }),
    { ...chunk({}), choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
  ],
  'an error': [chunk({ delta: { content: 'one' } }), { error: { message: 'overloaded', code: 529 } }],
  'what is no chunk': [chunk({ delta: { content: 'one' } }), { choices: 'none' }, chunk({ delta: 7 }), 3],
}

function createModel(events: readonly unknown[]): LanguageModelV4 {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const headers = { 'content-type': 'text/event-stream' }
  const fetch = async () => new Response(body, { headers })
  return createOpenAICompatible({ name: 'test', baseURL: 'http://127.0.0.1', fetch }).chatModel('m')
}

/** The parts of one answer; errors by what they say. */
async function partsOf(model: LanguageModelV4): Promise<object[]> {
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  })
  const parts = await Array.fromAsync(stream)
  return parts.map((part) => (part.type === 'error' ? { ...part, error: String(part.error) } : part))
}

describe('checkAtOnce', () => {
  it.each(Object.keys(ANSWERS))('changes nothing in what is read of %s', async (name) => {
    const parts = await partsOf(checkAtOnce(createModel(ANSWERS[name]!)))
    expect(parts).toEqual(await partsOf(createModel(ANSWERS[name]!)))
    expect(parts.length).toBeGreaterThan(2)
  })

  it('finds the schema where this version of the package has it, and asks it for no promise', () => {
    const model = checkAtOnce(createModel([])) as LanguageModelV4 & {
      chunkSchema: () => { validate(value: unknown): object }
    }
    const { validate } = model.chunkSchema()
    expect(validate(chunk({ delta: { content: 'one' } }))).toMatchObject({ success: true })
    expect(validate({ choices: 'none' })).toMatchObject({ success: false, error: expect.any(Error) })
  })

  it('leaves a model without such a schema as it is', () => {
    const model = { provider: 'other' } as LanguageModelV4
    expect(checkAtOnce(model)).toBe(model)
    expect(model).toEqual({ provider: 'other' })
  })
})

describe('a plain chunk', () => {
  const schema = (createModel([]) as unknown as { chunkSchema: Schema }).chunkSchema
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

interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown }
}
