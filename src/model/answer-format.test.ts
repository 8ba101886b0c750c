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

  it('never becomes a tool', async () => {
    for (const provider of ['anthropic', 'google'] as const) {
      const request = { answerSchema: closed, tools, toolChoice: 'none' } as const
      const [body] = await sentRequests(provider, request)
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
  expect(answerFormat({ provider: 'openai.responses' }, { answerSchema, tools: [] })).toBeUndefined()
})

test('a provider of which nothing is known is not told', () => {
  expect(answerFormat({ provider: 'mine.chat' }, { answerSchema: closed, tools: [] })).toBeUndefined()
})
