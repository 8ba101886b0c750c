import { afterEach, expect, test } from 'vitest'
import {
  providerEnvironment,
  startModelServer,
  type HttpProvider,
} from '../../../../test/support/model-server.ts'
import { agent, harness, tool } from '../../../../test/support/runtime-harness.ts'
import { systemClock } from '../../../exec/system-clock.ts'
import { createFetch, type Fetch } from '../../../model/fetch.ts'
import { createResolver } from '../../../model/resolve.ts'

const outputSchema = {
  type: 'object',
  properties: { score: { type: 'integer' } },
  required: ['score'],
  additionalProperties: false,
}
const closing: (() => Promise<void>)[] = []
afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))))

/** Answers go over HTTP in real time. */
const clock = {
  ...systemClock,
  settle: () => new Promise<void>((resolve) => setImmediate(resolve)),
  advance: async () => {},
  until: <T>(promise: Promise<T>) => promise,
  pending: () => 0,
}

/** A run of an agent with a tool and a schema: what it came to, and the bodies of its requests. */
async function rated(provider: HttpProvider, id: string) {
  const server = await startModelServer()
  closing.push(() => server.close())
  server.answer({ toolCalls: [{ tool: 'read', input: {} }] }, { text: '{"score": 1}' })
  const bodies: string[] = []
  const send = createFetch()
  const fetch: Fetch = (url, init) => {
    if (typeof init?.body === 'string') bodies.push(init.body)
    return send(url, init)
  }
  const env = providerEnvironment(provider, server.url)
  const model = await createResolver({ env, fetch, clock: systemClock })(id)
  const scorer = agent('explore', { outputSchema, tools: ['read'] })
  const h = harness({ clock, model, agents: [agent('main'), scorer], tools: [tool('read')] })
  const { result } = await h.spawn('rate', { agent: scorer, model: id })
  return { result: await result, bodies }
}

test.each<[HttpProvider, string, RegExp]>([
  ['anthropic', 'anthropic/claude-sonnet-4-5', /"output_config":\{"format":\{"type":"json_schema"/],
  ['openai', 'openai/gpt-5.2', /"text":\{"format":\{"type":"json_schema","strict":true/],
  ['google', 'google/gemini-3-pro-preview', /"responseJsonSchema":\{/],
])('%s: the schema stands in every request, and the tool is called', async (provider, id, told) => {
  const { result, bodies } = await rated(provider, id)
  expect(result).toMatchObject({ status: 'completed', turns: 2, toolCalls: 1, output: { score: 1 } })
  expect(bodies.map((body) => told.test(body) && body.includes('"read"'))).toEqual([true, true])
})

test('a server that may be any gets it in the instructions alone', async () => {
  const { result, bodies } = await rated('openai-compatible', 'openai-compatible/some-model')
  expect(result).toMatchObject({ status: 'completed', toolCalls: 1, output: { score: 1 } })
  expect(bodies.map((body) => body.includes('response_format'))).toEqual([false, false])
})
