import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  httpProviders,
  providerEnvironment,
  startModelServer,
  startRawServer,
  type HttpProvider,
  type ModelServer,
  type ServerAnswer,
} from '../support/model-server.ts'
import { TestUser } from '../support/test-user.ts'

const QUESTION = 'Where is the colour decided, and which tests cover it?'
const MAIN_MODEL: Record<HttpProvider, string> = {
  anthropic: 'anthropic/claude-sonnet-5',
  openai: 'openai/gpt-6-sol',
  'openai-compatible': 'openai-compatible/gpt-4',
  google: 'google/gemini-3.8-flash',
}

const API: Record<HttpProvider, string> = {
  anthropic: '/v1/messages',
  openai: '/v1/responses',
  'openai-compatible': '/v1/chat/completions',
  google: ':streamGenerateContent',
}

let user: TestUser
let server: ModelServer

beforeAll(async () => {
  user = new TestUser({
    'src/colour.ts': 'export const colour = decideColour()\n',
    'test/colour.test.ts': "test('the colour is blue', () => {})\n",
  })
  server = await startModelServer()
})

afterAll(async () => {
  await server.close()
  user.remove()
})

describe('the same question over HTTP', () => {
  it.each(httpProviders)(
    '%s: key and base URL in the environment are all that is needed',
    async (provider) => {
      server.answer(...delegation(provider))
      const before = server.requests().length
      const env = providerEnvironment(provider, server.url)
      const { code, stdout, stderr } = await user.run(['run', QUESTION], { env })

      expect({ code, stdout }).toEqual({ code: 0, stdout: `${provider}: src/colour.ts decides, one test.\n` })
      const notes = stderr.split('\n').filter((line) => line.startsWith('offshoot: '))
      const unpriced =
        /^offshoot: the price of a model is unknown, .+; \$5.00 allows 800,000 tokens of input or 200,000 of output;/
      expect(notes).toEqual([
        expect.stringMatching(new RegExp(`^offshoot: model ${MAIN_MODEL[provider]}\\S*: .+ is set`)),
        ...(provider === 'openai-compatible' ? [expect.stringMatching(unpriced)] : []),
      ])
      for (const task of ['find the code', 'find the tests'])
        expect(stderr).toMatch(new RegExp(`✓ explore +${task} — done in `))
      // the main agent asks twice, and each subagent twice
      expect(server.requests()).toHaveLength(before + 6)
      const [last] = server.requests().slice(-1)
      expect(last?.path).toContain(API[provider])
      expect(JSON.stringify(last?.body)).toContain('colour.ts:1')
      expect(JSON.stringify(last?.body)).toContain('colour.test.ts:1')
    },
  )
})

describe('settings of a command', () => {
  it('reach the provider, and the run keeps them when it is continued', async () => {
    const env = providerEnvironment('openai-compatible', server.url)
    const json = ['--output-format', 'json']
    const set = [
      '--set',
      'temperature=0.2',
      '--set',
      'maxOutputTokens=700',
      '--set',
      'openai-compatible.seed=7',
    ]
    server.answer({ text: 'one' }, { text: 'two' })
    const first = await user.run(['run', 'hi', ...json, ...set, '--budget-usd', '1'], { env })
    expect(first.code).toBe(0)
    expect(first.stderr.match(/the price of a model is unknown/g)).toHaveLength(1)
    const { conversation_id: id } = JSON.parse(first.stdout) as { readonly conversation_id: string }
    const again = await user.run(['continue', id, 'more', '--set', 'temperature=0.4'], { env })
    expect(again).toMatchObject({ code: 0, stdout: 'two\n' })
    const bodies = server
      .requests()
      .slice(-2)
      .map(({ body }) => body)
    expect(bodies).toMatchObject([
      { temperature: 0.2, max_tokens: 700, seed: 7 },
      { temperature: 0.4, max_tokens: 700, seed: 7 },
    ])
  })

  it('that would have no effect end it with exit code 2, and nothing is asked', async () => {
    const env = providerEnvironment('openai', server.url)
    const before = server.requests().length
    const { code, stderr } = await user.run(['run', 'hi', '--set', 'stopSequences=END'], { env })
    expect(code).toBe(2)
    expect(stderr).toContain(
      'stopSequences has no effect with openai/gpt-6-sol: the OpenAI Responses API does not accept it',
    )
    expect(server.requests()).toHaveLength(before)
  })
})

describe('which model is taken', () => {
  it('is -m, then the configuration, then the first key, then a base URL alone, then Ollama, then none', async () => {
    const own = new TestUser()
    const lists = await startRawServer((request, response) => {
      const known = {
        '/v1/models': { data: [{ id: 'first-one' }, { id: 'other' }] },
        '/api/tags': { models: [{ name: 'llama9' }] },
      }
      const list = known[request.url as keyof typeof known]
      response.writeHead(list ? 200 : 400, { 'content-type': 'application/json' })
      response.end(JSON.stringify(list ?? { error: { message: 'asked', type: 'invalid_request_error' } }))
    })
    const all = {
      OFFSHOOT_MODEL: 'openai/gpt-6-luna',
      ANTHROPIC_API_KEY: 'a-key',
      OPENAI_API_KEY: 'a-key',
      GEMINI_API_KEY: 'a-key',
      OPENAI_BASE_URL: `${lists.url}/v1`,
      ANTHROPIC_BASE_URL: lists.url,
      GOOGLE_GEMINI_BASE_URL: lists.url,
      OLLAMA_HOST: lists.url,
    }
    const without = (...names: (keyof typeof all)[]) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name as keyof typeof all)))
    const chosen = async (env: Record<string, string>, ...args: string[]) => {
      const { stderr } = await own.run(['run', 'hi', ...args], { env })
      return stderr.split('\n', 1)[0]!.slice('offshoot: model '.length)
    }
    try {
      const keys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'] as const
      expect(
        await Promise.all([
          chosen(all, '-m', 'offline'),
          chosen(all),
          chosen(without('OFFSHOOT_MODEL')),
          chosen(without('OFFSHOOT_MODEL', keys[0])),
          chosen(without('OFFSHOOT_MODEL', keys[0], keys[1])),
          chosen(without('OFFSHOOT_MODEL', ...keys)),
          chosen(without('OFFSHOOT_MODEL', ...keys, 'OPENAI_BASE_URL')),
          chosen({}),
        ]),
      ).toEqual([
        'offline (from -m)',
        'openai/gpt-6-luna: configured',
        'anthropic/claude-sonnet-5: ANTHROPIC_API_KEY is set',
        'openai/gpt-6-sol: OPENAI_API_KEY is set',
        'google/gemini-3.8-flash: GEMINI_API_KEY is set',
        'openai-compatible/first-one: OPENAI_BASE_URL is set, and this is the first model there',
        'ollama/llama9: no key is set, and a local Ollama has it',
        'offline: no key is set and no Ollama answers, so a rule-based search answers, not a language model',
      ])
    } finally {
      await lists.close()
      own.remove()
    }
  })
})

type ServerRequest = Parameters<NonNullable<ServerAnswer['match']>>[0]

/** A main agent that sends two subagents, each of which searches once and reports what it was shown. */
function delegation(provider: HttpProvider): ServerAnswer[] {
  const task = (description: string, prompt: string) => ({
    tool: 'task',
    input: { subagent_type: 'explore', description, prompt },
  })
  const grep = (pattern: string) => [{ tool: 'grep', input: { pattern } }]
  const isMain = (request: ServerRequest) =>
    (request.tools ?? []).some((tool) => tool.function.name === 'task')
  const shown = (request: ServerRequest) =>
    JSON.stringify(request.messages.filter(({ role }) => role !== 'system'))
  const has = (request: ServerRequest, text: string) => !isMain(request) && shown(request).includes(text)
  const answered = (request: ServerRequest) => request.messages.some((message) => message.role === 'tool')
  return [
    {
      match: (request) => isMain(request) && !answered(request),
      toolCalls: [task('find the code', 'Look for decideColour.'), task('find the tests', 'Look for blue.')],
    },
    {
      match: (request) => has(request, 'for decideColour') && !answered(request),
      toolCalls: grep('decideColour'),
    },
    { match: (request) => has(request, 'for blue') && !answered(request), toolCalls: grep('blue') },
    {
      match: (request) => has(request, 'for decideColour') && has(request, 'colour = '),
      text: 'It is at src/colour.ts:1.',
    },
    {
      match: (request) => has(request, 'for blue') && has(request, 'colour is blue'),
      text: 'It is at test/colour.test.ts:1.',
    },
    {
      match: (request) =>
        isMain(request) &&
        shown(request).includes('src/colour.ts:1') &&
        shown(request).includes('test/colour.test.ts:1'),
      text: `${provider}: src/colour.ts decides, one test.`,
    },
  ]
}
