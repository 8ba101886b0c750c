import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  providerEnvironment,
  startModelServer,
  startRawServer,
  TEST_KEY,
  type ModelServer,
  type RawHandler,
  type ServerAnswer,
} from '../support/model-server.ts'
import { blockedPrompt, refusedAnswer, streamedAnswer } from '../support/provider-answers.ts'
import type { Ended } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

const MEGABYTE = 'x'.repeat(1_000_000)

/** What a model may send instead of a sensible call, and what it is then told. */
const BAD_CALLS = [
  { tool: 'nonsense', input: {}, told: /there is no tool .{0,2}nonsense.{0,2}; the tools are: .*grep/ },
  { tool: 'grep', input: '{"pattern": ', told: /grep.*(not JSON|pattern is missing)/ },
  { tool: 'grep', input: '"text"', told: /grep.*(got string|pattern is missing)/ },
  { tool: 'grep', input: { pattern: 5, path: ['a'] }, told: /pattern.*string|string.*pattern/i },
  { tool: 'grep', input: { pattern: MEGABYTE }, told: /grep|pattern|too/i },
  {
    tool: 'read',
    input: { path: MEGABYTE },
    told: /too long|at most 4096|4,?096/i,
  },
  { tool: 'task', input: { subagent_type: 'nobody', prompt: 'x' }, told: /no agent.*nobody/ },
]

let user: TestUser
let server: ModelServer

beforeAll(async () => {
  server = await startModelServer()
})

beforeEach(() => {
  user = new TestUser({ 'a.txt': 'text\n' })
})

afterEach(() => user.remove())
afterAll(() => server.close())

describe('a model that sends nonsense', () => {
  it('is told what is wrong, call by call, and can go on', async () => {
    const calls = BAD_CALLS.map(({ tool, input }) => ({ toolCalls: [{ tool, input }] }))
    const { code, stdout } = await user.call([
      'run',
      'hi',
      '-m',
      user.script({ main: [...calls, { text: 'Understood.' }] }),
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Understood.\n' })
    expectTold(resultTexts())
  })

  it.each(['anthropic', 'openai', 'openai-compatible', 'google'] as const)(
    'is told so over HTTP too: %s',
    async (provider) => {
      // Gemini sends objects, so arguments that are no JSON cannot come from it
      const calls = BAD_CALLS.filter(({ input }) => provider !== 'google' || typeof input !== 'string')
      server.answer(...calls.map(({ tool, input }): ServerAnswer => ({ toolCalls: [{ tool, input }] })), {
        text: 'Understood.',
      })
      const before = server.requests().length
      const { code, stdout, stderr } = await user.call(['run', 'hi', '--budget-usd', '100'], {
        env: providerEnvironment(provider, server.url),
      })
      expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'Understood.\n' })
      expect(server.requests()).toHaveLength(before + calls.length + 1)
      expectTold(resultTexts(), calls)
    },
  )

  it('that answers with nothing is asked once more; then its run has failed, and says that there is no text', async () => {
    const { code, stdout, stderr } = await user.call(['run', 'hi', '-m', user.script({ main: [{}, {}] })])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('the answer was empty, and so was the requested conclusion')
    expect(stderr).toMatch(/offshoot: no text: /)
  })

  it('that calls tools for ever is stopped by the turns it has', async () => {
    const turns = Array.from({ length: 3 }, () => ({ toolCalls: [{ tool: 'list', input: {} }] }))
    const script = user.script({ main: [...turns, { text: 'So far.' }] })
    const { code, stdout, stderr } = await user.call(['run', 'hi', '-m', script, '--max-turns', '3'])
    expect({ code, stdout }).toEqual({ code: 4, stdout: 'So far.\n' })
    expect(stderr).toContain('paused (limit)')
  })
})

describe('an answer that is none, over HTTP', () => {
  const cases = [
    ['anthropic', streamedAnswer('anthropic', 'Half of', { stop_reason: 'max_tokens' }), 'max_output_tokens'],
    [
      'anthropic',
      streamedAnswer('anthropic', 'Half of', { stop_reason: 'model_context_window_exceeded' }),
      'context_window',
    ],
    [
      'openai',
      streamedAnswer('openai', 'Half of', { incomplete_details: { reason: 'max_output_tokens' } }),
      'max_output_tokens',
    ],
    [
      'openai-compatible',
      streamedAnswer('openai-compatible', 'Half of', { finish_reason: 'length' }),
      'max_output_tokens',
    ],
    ['google', streamedAnswer('google', 'Half of', { finishReason: 'MAX_TOKENS' }), 'max_output_tokens'],
    ['anthropic', streamedAnswer('anthropic', 'No.', { stop_reason: 'refusal' }), 'refusal'],
    ['openai', refusedAnswer('openai', 'No.'), 'refusal'],
    ['openai-compatible', refusedAnswer('openai-compatible', 'No.'), 'refusal'],
    ['google', streamedAnswer('google', 'No.', { finishReason: 'SAFETY' }), 'content_filter'],
    ['google', blockedPrompt('PROHIBITED_CONTENT'), 'content_filter'],
  ] as const

  it.each(cases)('%s %#: %s', async (provider, body, finish) => {
    const raw = await startRawServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body),
    )
    const env = providerEnvironment(provider, raw.url)
    const model = provider === 'openai-compatible' ? ['-m', 'openai-compatible/x'] : []
    const run = ['run', 'hi', ...model, '--output-format', 'json']
    const { code, stdout } = await user.call(run, { env })
    await raw.close()
    const document = JSON.parse(stdout) as { run_id: string }
    const isCut = finish === 'max_output_tokens' || finish === 'context_window'
    expect({ code, ...document }).toMatchObject(
      isCut
        ? {
            code: 4,
            status: 'paused',
            reason: 'limit',
            end_reason: finish,
            finish_reason: finish,
            text: 'Half of',
          }
        : { code: 1, status: 'failed', end_reason: 'error', finish_reason: finish, error: { code: finish } },
    )
    const shown = await user.call(['show', document.run_id])
    expect(shown.stdout).toContain(isCut ? 'the answer was cut' : 'error: ')
    expect(shown.stdout).toContain(`its last answer ended with: ${finish}`)
  })

  it('is told in the other formats too', async () => {
    const script = user.script({
      main: [{ text: 'Half of', finishReason: 'length', rawFinishReason: 'max_tokens' }],
    })
    const streamed = await user.call(['run', 'hi', '-m', script, '--output-format', 'stream-json'])
    const lines = streamed.stdout.trim().split('\n')
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      is_error: true,
      stop_reason: 'max_tokens',
      errors: [
        'paused (limit, max_output_tokens)',
        'the answer was cut at the output limit (the provider said: max_tokens); partial: the text of turn 1',
      ],
    })
    const answers = lines.map(
      (line) => JSON.parse(line) as { type: string; message?: { stop_reason: string } },
    )
    expect(answers.find(({ type }) => type === 'assistant')!.message!.stop_reason).toBe('max_tokens')
    const events = await user.call(['run', 'hi', '-m', script, '--output-format', 'events'])
    expect(events.stdout).toMatch(/"type":"run\.paused"[^\n]*"finishReason":"max_output_tokens"/)
    const text = await user.call(['run', 'hi', '-m', script])
    expect(text).toMatchObject({ code: 4, stdout: 'Half of\n' })
    expect(text.stderr).toContain('the answer was cut at the output limit (the provider said: max_tokens)')
  })
})

describe('a model that never answers', () => {
  const env = { OFFSHOOT_LIMITS__STALL_MS: '400' }

  it('pauses its run when nothing has happened for limits.stallMs', async () => {
    const script = user.script({ main: [{ text: 'Too late.', delayMs: 3_600_000 }] })
    const { code, stdout, stderr } = await user.run(['run', 'hi', '-m', script], { env })
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toContain('paused (stall)')
  })

  it('does so over HTTP, before the answer and in the middle of one', async () => {
    const silent = await startRawServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chatChunk({ content: 'Half of' }))
    })
    const dead = await startRawServer(() => {})
    try {
      const [half, none] = await Promise.all(
        [silent, dead].map(({ url }) =>
          user.run(['run', 'hi', '-m', 'openai-compatible/x'], {
            env: { ...env, OPENAI_BASE_URL: `${url}/v1` },
          }),
        ),
      )
      for (const ended of [half, none])
        expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('paused (stall)') })
      expect(none!.stdout).toBe('')
    } finally {
      await Promise.all([silent.close(), dead.close()])
    }
  })
})

describe('a provider that refuses', () => {
  it('because of the key: fails at once, and shows no key', async () => {
    server.answer({ error: { status: 401 }, always: true, match: hasPrompt('refuse me') })
    const before = server.requests().length
    const { code, stdout, stderr } = await user.call(['run', 'refuse me'], {
      env: providerEnvironment('anthropic', server.url),
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/offshoot: anthropic\/claude-sonnet-5: HTTP 401: .*\n {2}Check the key/)
    expect(stderr).not.toContain(TEST_KEY)
    expect(server.requests()).toHaveLength(before + 1)
  })

  it('for now: waits as long as it says, and goes on; after six tries it fails', async () => {
    const refusal =
      (status: number): RawHandler =>
      (_, response) => {
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '20' })
        response.end(JSON.stringify({ error: { message: `refused with ${status}` } }))
      }
    const [slow, slowed] = await answering(refusal(429), refusal(503), refusal(500), whole('At last.'))
    expect(slow).toMatchObject({
      code: 0,
      stdout: 'At last.\n',
      stderr: expect.stringMatching(/◌ main — Waiting for the provider: .*HTTP 429/),
    })
    expect(slowed).toBe(4)
    const [failed, tries] = await answering(...Array.from({ length: 9 }, () => refusal(500)))
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(/^offshoot: openai-compatible\/x: HTTP 500: refused with 500$/m)
    expect(tries).toBe(6)
  })

  it('in the middle of an answer: asks again, and shows the whole answer once', async () => {
    const cut: RawHandler = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chatChunk({ content: 'This is cut' }), () => setImmediate(() => response.destroy()))
    }
    const [ended, requests] = await answering(cut, whole('This is whole.'))
    expect(ended).toMatchObject({ code: 0, stdout: 'This is whole.\n' })
    expect(requests).toBe(2)
    const states = user.rows("select state from messages where role = 'assistant' order by position")
    expect(states.map((row) => row['state'])).toEqual(['interrupted', 'complete'])
  })

  it('every connection: says so while it tries again, and can be interrupted', async () => {
    const program = user.start(['run', 'hi', '-m', 'openai-compatible/x'], {
      env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
    })
    await program.untilStderr('no connection')
    program.kill('SIGINT')
    expect(await program.ended).toMatchObject({ code: 130, stdout: '' })
    const list = await user.call(['run', 'hi'], { env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } })
    expect(list).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /no model was found at http:\/\/127\.0\.0\.1:9\/v1\/models: .*nothing listens/,
      ),
    })
  })
})

describe('a prompt that is larger than the window', () => {
  it('fails before any request, and names the window', async () => {
    const before = server.requests().length
    const { code, stdout, stderr } = await user.run(['run'], {
      env: providerEnvironment('anthropic', server.url),
      input: 'word '.repeat(2_000_000),
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /about \d{7} tokens, but the context window of anthropic\/claude-sonnet-5 is 1000000/,
    )
    expect(server.requests()).toHaveLength(before)
  })
})

function hasPrompt(text: string): NonNullable<ServerAnswer['match']> {
  return (request) => JSON.stringify(request.messages).includes(text)
}

/** What the model read in place of results, oldest first. */
function resultTexts(): string[] {
  const parts = user.rows(
    "select part from parts join messages on message_id = messages.id where role = 'tool' order by messages.position",
  )
  return parts.map((row) => (JSON.parse(row['part'] as string) as { output: { text: string } }).output.text)
}

function expectTold(texts: readonly string[], calls = BAD_CALLS): void {
  expect(texts).toHaveLength(calls.length)
  for (const [at, { told }] of calls.entries()) {
    expect(texts[at]).toMatch(told)
    expect(texts[at]!.length, 'what a model is told of its mistake is short').toBeLessThan(40_000)
  }
}

/** A run on an OpenAI-compatible server that answers one request after the other so, and how many came. */
async function answering(...handlers: readonly RawHandler[]): Promise<[Ended, number]> {
  let requests = 0
  const raw = await startRawServer((request, response) => handlers[requests++]!(request, response))
  try {
    const env = { OPENAI_BASE_URL: `${raw.url}/v1` }
    return [await user.call(['run', 'hi', '-m', 'openai-compatible/x'], { env }), requests]
  } finally {
    await raw.close()
  }
}

function whole(content: string): RawHandler {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${chatChunk({ content })}${chatChunk({}, 'stop')}data: [DONE]\n\n`)
  }
}

function chatChunk(delta: object, finish_reason: string | null = null): string {
  const chunk = { id: 'x', object: 'chat.completion.chunk', created: 0, model: 'x' }
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
}
