import { describe, expect, it, test } from 'vitest'
import { sentRequests } from '../../test/support/sent-request.ts'
import type { JsonSchema } from '../core/agent.ts'
import { answerFormat } from './answer-format.ts'

const closed: JsonSchema = {
  type: 'object',
  properties: {
    score: { type: 'integer', minimum: 0 },
    reasons: { type: 'array', items: { type: 'string' } },
  },
  required: ['score', 'reasons'],
  additionalProperties: false,
}
const tools = [{ name: 'read', description: 'reads', inputSchema: { type: 'object' } }]
const TOLD = /"(json_schema|responseJsonSchema)"/

/** Which tools a body of any protocol offers, and whether the model chooses. */
function toolsIn(body: Awaited<ReturnType<typeof sentRequests>>[number]) {
  const text = JSON.stringify([body['tools'], body['toolConfig']])
  const names = ['read', 'json'].filter((name) => text.includes(`"name":"${name}"`))
  const isForced = /"(any|ANY|required|none|NONE)"/.test(
    JSON.stringify([body['tool_choice'], body['toolConfig']]),
  )
  return { names, choice: isForced ? 'forced' : 'auto' }
}

describe('the schema of an answer in the words of each protocol', () => {
  it.each([
    [
      'anthropic',
      undefined,
      { output_config: { format: { type: 'json_schema', schema: { required: closed.required } } } },
    ],
    ['openai', undefined, { text: { format: { type: 'json_schema', strict: true, schema: closed } } }],
    [
      'openai-compatible',
      undefined,
      { response_format: { type: 'json_schema', json_schema: { schema: closed } } },
    ],
    [
      'google',
      undefined,
      { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: {} } },
    ],
  ] as const)('%s', async (provider, id, format) => {
    const [body] = await sentRequests(provider, { answerSchema: closed }, { id })
    expect(body).toMatchObject(format)
  })

  it.each(['anthropic', 'openai', 'openai-compatible'] as const)(
    '%s is asked without where the server refuses it, and not told again',
    async (provider) => {
      const answering = { says: 'this schema is not supported', times: 2 }
      const bodies = await sentRequests(provider, { answerSchema: closed }, answering)
      const told = bodies.map((body) => /"(json_schema|output_config)"/.test(JSON.stringify(body)))
      expect(told).toEqual([true, false, false])
    },
  )

  it.each([
    ['anthropic', 'anthropic/claude-sonnet-4-5'],
    ['openai', 'openai/gpt-5.2'],
    ['openai', 'openai/o4-mini'],
    ['google', 'google/gemini-3-pro-preview'],
  ] as const)(
    '%s: %s gets the schema with its first request, and may call its tools',
    async (provider, id) => {
      const request = { answerSchema: closed, tools, callsFirst: true } as const
      const [body] = await sentRequests(provider, request, { id })
      expect(JSON.stringify(body)).toMatch(TOLD)
      expect(toolsIn(body!)).toEqual({ names: ['read'], choice: 'auto' })
    },
  )

  it.each([
    ['anthropic', 'anthropic/qwen3-coder'],
    ['openai', 'openai/gpt-oss-120b'],
    ['openai', 'openai/qwen3-coder'],
    ['google', 'google/gemini-2.5-pro'],
    ['openai-compatible', 'openai-compatible/gpt-5.2'],
  ] as const)('%s: %s gets the schema only when it can call no tool', async (provider, id) => {
    const first = { answerSchema: closed, tools, callsFirst: true } as const
    const [body] = await sentRequests(provider, first, { id })
    expect(JSON.stringify(body)).not.toMatch(TOLD)
    expect(toolsIn(body!)).toEqual({ names: ['read'], choice: 'auto' })
    const [alone] = await sentRequests(provider, { answerSchema: closed }, { id })
    expect(JSON.stringify(alone)).toMatch(TOLD)
  })

  it('is no reason to ask again where it was not told', async () => {
    const request = { answerSchema: closed, tools, callsFirst: true } as const
    const answering = { says: 'the JSON schema of a tool is wrong', id: 'openai-compatible/some-model' }
    expect(await sentRequests('openai-compatible', request, answering)).toHaveLength(1)
  })

  it('never becomes a tool', async () => {
    for (const id of [
      'anthropic/claude-3-5-haiku-latest',
      'google/gemini-2.5-pro',
      'google/gemini-3-pro-preview',
    ]) {
      const request = { answerSchema: closed, tools, toolChoice: 'none' } as const
      const [body] = await sentRequests(id.split('/')[0] as 'anthropic', request, { id })
      expect(JSON.stringify(body)).not.toMatch(/"name":"json/)
    }
  })
})

test.each<[string, JsonSchema]>([
  ['an optional field', { ...closed, required: ['score'] }],
  ['an open object', { type: 'object', properties: {}, required: [] }],
  ['an open object below', { ...closed, properties: { score: { type: 'object' }, reasons: {} } }],
  ['a reference', { ...closed, properties: { score: { $ref: '#' }, reasons: {} } }],
  ['a list', { type: 'array', items: closed }],
  ['a pattern', { ...closed, properties: { score: { type: 'string', pattern: '^a' }, reasons: {} } }],
])('a schema with %s stands in the instructions alone', (_, answerSchema) => {
  expect(
    answerFormat({ provider: 'openai.responses', modelId: 'gpt-5.2' }, { answerSchema, tools: [] }),
  ).toBeUndefined()
})

test('a provider of which nothing is known is not told', () => {
  expect(
    answerFormat({ provider: 'mine.chat', modelId: 'gpt-5.2' }, { answerSchema: closed, tools: [] }),
  ).toBeUndefined()
})
