import { describe, expect, it } from 'vitest'
import { collect, modelRequest, only } from '../../test/support/model-request.ts'
import { providerEnvironment, startRawServer, type HttpProvider } from '../../test/support/model-server.ts'
import { blockedPrompt, refusedAnswer, streamedAnswer, unnamed } from '../../test/support/provider-answers.ts'
import type { Clock } from '../core/clock.ts'
import { ProviderError } from '../core/errors.ts'
import { answerEnd } from './answer-end.ts'
import { createFetch } from './fetch.ts'
import type { ModelPart } from './port.ts'
import { createResolver } from './resolve.ts'

const clock: Clock = { now: Date.now, after: () => () => {} }

/** What the package of a provider makes of an answer of its server. */
async function answeredBy(provider: HttpProvider, body: string, status = 200): Promise<ModelPart[]> {
  const type = status === 200 ? 'text/event-stream' : 'application/json'
  const { url, close } = await startRawServer((_, response) =>
    response.writeHead(status, { 'content-type': type }).end(body),
  )
  const id = provider === 'openai-compatible' ? 'openai-compatible/some-model' : provider
  const resolve = createResolver({ env: providerEnvironment(provider, url), fetch: createFetch(), clock })
  try {
    return await collect(await (await resolve(id)).stream(modelRequest()))
  } finally {
    await close()
  }
}

async function endOf(provider: HttpProvider, body: string) {
  const parts = await answeredBy(provider, body)
  const text = only(parts, 'text-delta')
    .map(({ delta }) => delta)
    .join('')
  return answerEnd(only(parts, 'finish')[0]!, text)
}

describe('how an answer ended, in the words of each provider', () => {
  it.each([
    ['anthropic', { stop_reason: 'end_turn' }, 'stop', 'end_turn'],
    ['anthropic', { stop_reason: 'max_tokens' }, 'max_output_tokens', 'max_tokens'],
    [
      'anthropic',
      { stop_reason: 'model_context_window_exceeded' },
      'context_window',
      'model_context_window_exceeded',
    ],
    [
      'anthropic',
      {
        stop_reason: 'refusal',
        stop_details: { type: 'refusal', category: 'cyber', explanation: 'It may do harm.' },
      },
      'refusal',
      'refusal: cyber: It may do harm.',
    ],
    [
      'openai',
      { incomplete_details: { reason: 'max_output_tokens' } },
      'max_output_tokens',
      'max_output_tokens',
    ],
    ['openai', { incomplete_details: { reason: 'content_filter' } }, 'content_filter', 'content_filter'],
    ['openai', {}, 'stop', null],
    ['openai-compatible', { finish_reason: 'stop' }, 'stop', 'stop'],
    ['openai-compatible', { finish_reason: 'length' }, 'max_output_tokens', 'length'],
    ['openai-compatible', { finish_reason: 'content_filter' }, 'content_filter', 'content_filter'],
    ['openai-compatible', { finish_reason: 'model_length' }, 'context_window', 'model_length'],
    ['openai-compatible', { finish_reason: 'max_tokens' }, 'max_output_tokens', 'max_tokens'],
    ['openai-compatible', { finish_reason: 'MAX_TOKENS' }, 'max_output_tokens', 'MAX_TOKENS'],
    ['openai-compatible', { finish_reason: 'SAFETY' }, 'content_filter', 'SAFETY'],
    ['openai-compatible', { finish_reason: 'end_turn' }, 'stop', 'end_turn'],
    ['openai-compatible', { finish_reason: 'STOP' }, 'stop', 'STOP'],
    ['openai-compatible', { finish_reason: 'Stop' }, 'stop', 'Stop'],
    ['openai-compatible', { finish_reason: 'TOOL_CALLS' }, 'tool_calls', 'TOOL_CALLS'],
    ['openai-compatible', { finish_reason: 'LENGTH' }, 'max_output_tokens', 'LENGTH'],
    ['openai-compatible', { finish_reason: 'because' }, 'other', 'because'],
    ['anthropic', { stop_reason: 'pause_turn' }, 'tool_calls', 'pause_turn'],
    ['google', { finishReason: 'STOP' }, 'stop', 'STOP'],
    ['google', { finishReason: 'MAX_TOKENS' }, 'max_output_tokens', 'MAX_TOKENS'],
    ['google', { finishReason: 'SAFETY' }, 'content_filter', 'SAFETY'],
    [
      'google',
      { finishReason: 'RECITATION', finishMessage: 'It is a quotation.' },
      'content_filter',
      'RECITATION: It is a quotation.',
    ],
    ['google', { finishReason: 'PROHIBITED_CONTENT' }, 'content_filter', 'PROHIBITED_CONTENT'],
  ] as const)('%s %j: %s', async (provider, end, reason, said) => {
    expect(await endOf(provider, streamedAnswer(provider, 'some text', end))).toEqual({ reason, said })
  })

  it.each(['openai', 'openai-compatible'] as const)('%s sends a refusal as a text', async (provider) => {
    const end = await endOf(provider, refusedAnswer(provider, 'I cannot help with that.'))
    expect(end).toEqual({ reason: 'refusal', said: 'I cannot help with that.' })
  })

  it('google blocks a prompt', async () => {
    expect(await endOf('google', blockedPrompt('PROHIBITED_CONTENT'))).toEqual({
      reason: 'content_filter',
      said: 'PROHIBITED_CONTENT',
    })
  })

  it.each([
    ['openai-compatible', { finish_reason: 'error' }],
    ['openai-compatible', { finish_reason: 'insufficient_system_resource' }],
    ['openai-compatible', { finish_reason: 'abort' }],
    ['google', { finishReason: 'OTHER' }],
    ['google', { finishReason: 'UNEXPECTED_TOOL_CALL' }],
  ] as const)('%s %j is no answer, and is asked again', async (provider, end) => {
    const parts = await answeredBy(provider, streamedAnswer(provider, 'half', end))
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { retryable: true } })
    expect(only(parts, 'finish')).toEqual([])
  })

  it('says what it said on one line, and not without end', () => {
    const usage = { inputTokens: {}, outputTokens: {} } as never
    const finishReason = { unified: 'content-filter', raw: `a\u001b[31m\n${'b'.repeat(2_000)}` } as const
    const { said } = answerEnd({ type: 'finish', usage, finishReason }, '')
    expect(said).toHaveLength(500)
    expect(said).not.toMatch(/[\u0000-\u001f]/)
  })
})

describe('a request that is too long', () => {
  const openai = (message: string, more: object = {}) => ({
    error: { message, type: 'invalid_request_error', ...more },
  })
  const failureOf = (provider: HttpProvider, status: number, body: object | string) =>
    answeredBy(provider, typeof body === 'string' ? body : JSON.stringify(body), status).then(
      (parts) => only(parts, 'error')[0]!.error,
      (error: unknown) => error,
    )

  it.each([
    [
      'openai',
      400,
      openai(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
        { code: 'context_length_exceeded' },
      ),
    ],
    [
      'openai',
      400,
      openai('Your input exceeds the context window of this model. Please adjust your input and try again.'),
    ],
    [
      'anthropic',
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 208310 tokens > 200000 maximum',
        },
      },
    ],
    [
      'anthropic',
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message:
            'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
        },
      },
    ],
    [
      'anthropic',
      413,
      { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    ],
    [
      'google',
      400,
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    // vLLM, llama.cpp, Ollama, LM Studio, Mistral, Groq, xAI; and a server without a word
    [
      'openai-compatible',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        type: 'BadRequestError',
        code: 400,
      },
    ],
    [
      'openai-compatible',
      400,
      openai(
        'the request exceeds the available context size. try increasing the context size or enable context shift',
        { type: 'exceed_context_size_error', n_ctx: 4096 },
      ),
    ],
    ['openai-compatible', 400, openai('the input length exceeds the context length')],
    [
      'openai-compatible',
      400,
      { error: 'The number of tokens to keep from the initial prompt is greater than the context length' },
    ],
    [
      'openai-compatible',
      400,
      openai(
        'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      ),
    ],
    [
      'openai-compatible',
      400,
      openai('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' }),
    ],
    [
      'openai-compatible',
      400,
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    ],
    ['openai-compatible', 413, ''],
  ] as const)('%s %i %j', async (provider, status, body) => {
    const error = await failureOf(provider, status, body)
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ isTooLong: true, retryable: false, status })
  })

  it('is said by OpenAI inside the stream too', async () => {
    const message =
      'Your input exceeds the context window of this model. Please adjust your input and try again.'
    const failed = { code: 'context_length_exceeded', message }
    const body = unnamed([
      { type: 'response.created', response: { id: 'r', created_at: 1, model: 'x' } },
      { type: 'response.failed', sequence_number: 2, response: { error: failed } },
    ])
    expect(await failureOf('openai', 200, body)).toMatchObject({ isTooLong: true, retryable: false })
  })

  it.each([
    ['openai', 400, openai("Invalid value: 'max_output_tokens' must be at most 16384")],
    ['openai', 400, openai('Missing required parameter: messages')],
    [
      'openai',
      429,
      openai(
        'Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 50000. Please reduce the length of the messages.',
      ),
    ],
    [
      'anthropic',
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'max_tokens: 99999 > 8192, which is the maximum allowed number of output tokens',
        },
      },
    ],
    [
      'anthropic',
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'image exceeds 5 MB maximum' } },
    ],
    ['google', 400, { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }],
    ['openai-compatible', 500, openai('context_length_exceeded')],
  ] as const)('is not %s %i %j', async (provider, status, body) => {
    expect(await failureOf(provider, status, body)).toMatchObject({ isTooLong: false, status })
  })
})
