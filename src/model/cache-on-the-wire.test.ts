import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { describe, expect, it, test } from 'vitest'
import { modelRequest, textMessage } from '../../test/support/model-request.ts'
import { sentRequests } from '../../test/support/sent-request.ts'
import type { CallId, PartId } from '../core/ids.ts'
import { hourPrice } from './cache-marks.ts'
import { createModel } from './language-model.ts'
import { modelInfo } from './models-and-prices.ts'

const id = 'prt' as PartId
const callId = 'cal' as CallId
const output = { text: 'found' }
const messages = [
  textMessage('system', 'rules'),
  textMessage('user', 'hi'),
  { role: 'assistant', parts: [{ id, type: 'tool-call', callId, tool: 'read', input: {} }] },
  { role: 'tool', parts: [{ id, type: 'tool-result', callId, tool: 'read', status: 'completed', output }] },
] as const
const CLAUDE = 'openai-compatible/anthropic/claude-sonnet-5'

describe('Claude behind a server with Chat Completions', () => {
  it('is told what to cache: the system text and the last two inputs', async () => {
    const [body] = await sentRequests('openai-compatible', { messages }, { id: CLAUDE })
    const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }]
    expect(body!['messages']).toMatchObject([
      { role: 'system', content: marked('rules') },
      { role: 'user', content: marked('hi') },
      { role: 'assistant' },
      { role: 'tool', content: marked('found') },
    ])
  })

  it('is asked without where the server knows no marks, and not told again', async () => {
    const answering = { id: CLAUDE, says: 'messages.0.content.0.cache_control: extra fields', times: 2 }
    const bodies = await sentRequests('openai-compatible', { messages }, answering)
    expect(bodies.map((body) => JSON.stringify(body).includes('cache_control'))).toEqual([true, false, false])
    expect(bodies[1]!['messages']).toMatchObject([
      { content: 'rules' },
      { content: 'hi' },
      {},
      { content: 'found' },
    ])
  })

  it('keeps it for an hour where that is asked for', async () => {
    const request = { messages, promptCache: '1h' } as const
    const [chat] = await sentRequests('openai-compatible', request, { id: CLAUDE })
    const [own] = await sentRequests('anthropic', request)
    for (const body of [chat, own])
      expect(JSON.stringify(body).split('"cache_control":{"type":"ephemeral","ttl":"1h"}')).toHaveLength(4)
  })
})

test('other models behind such a server get no marks', async () => {
  const [body] = await sentRequests('openai-compatible', { messages, cacheKey: 'brn_1' })
  expect(JSON.stringify(body)).not.toMatch(/cache/)
})

test('OpenAI is told which requests begin alike', async () => {
  const [body] = await sentRequests('openai', { messages, cacheKey: 'brn_1' })
  expect(body).toMatchObject({ prompt_cache_key: 'brn_1', store: false })
  const bodies = await sentRequests(
    'openai',
    { messages, cacheKey: 'brn_1' },
    { says: 'unknown prompt_cache_key' },
  )
  expect(bodies.map((each) => 'prompt_cache_key' in each)).toEqual([true, false])
})

test.each([
  ['googleVertex.anthropic.messages', 'claude-sonnet-5'],
  ['bedrock.anthropic.messages', 'anthropic.claude-sonnet-5-v1:0'],
  ['amazon-bedrock', 'us.anthropic.claude-sonnet-5-v1:0'],
  ['openrouter', 'anthropic/claude-sonnet-5'],
])('a program’s own Claude of %s is marked in the words of its package', async (provider, modelId) => {
  let seen: LanguageModelV4CallOptions | undefined
  const model = createModel(
    {
      specificationVersion: 'v4',
      provider,
      modelId,
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('never')),
      doStream: (options) => {
        seen = options
        return Promise.reject(new Error('seen'))
      },
    },
    modelInfo('mine/claude'),
  )
  await model.stream(modelRequest({ messages })).catch((error: unknown) => error)
  const marks = seen!.prompt.map(({ providerOptions }) => providerOptions)
  const mark = {
    anthropic: { cacheControl: { type: 'ephemeral' } },
    bedrock: { cachePoint: { type: 'default' } },
  }
  expect(marks).toEqual([mark, mark, undefined, mark])
})

test('what is kept for an hour costs twice its input to write', () => {
  const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }
  expect(hourPrice(price)).toEqual({ ...price, cacheWrite: 4 })
  expect(hourPrice({ ...price, long: { overTokens: 5, ...price, input: 4 } }).long).toMatchObject({
    cacheWrite: 8,
  })
  expect(hourPrice(null)).toBeNull()
})
