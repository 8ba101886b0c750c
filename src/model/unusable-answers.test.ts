import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { collect, modelRequest, only } from '../../test/support/model-request.ts'
import {
  httpProviders,
  providerEnvironment,
  startRawServer,
  type RawHandler,
} from '../../test/support/model-server.ts'
import type { Clock } from '../core/clock.ts'
import { ProviderError } from '../core/errors.ts'
import { answerBounds, type AnswerBounds } from './http-answer-bounds.ts'
import { createFetch } from './fetch.ts'
import { createResolver } from './resolve.ts'

const clock: Clock = { now: Date.now, after: () => () => {} }

describe.each(httpProviders)('%s, with answers that are not to be used', (provider) => {
  const failureOf = async (handler: RawHandler, bounds?: AnswerBounds) => {
    const { url, close } = await startRawServer(handler)
    const id = provider === 'openai-compatible' ? 'openai-compatible/some-model' : provider
    const env = providerEnvironment(provider, url)
    const model = await createResolver({ env, fetch: createFetch(bounds), clock })(id)
    const error: unknown = await model
      .stream(modelRequest())
      .then(collect)
      .then(
        (parts) => only(parts, 'error')[0]?.error,
        (thrown: unknown) => thrown,
      )
    await close()
    return error
  }

  it.each([
    [204, {}, 'HTTP 204 without a body'],
    [304, {}, 'HTTP 304: Not Modified'],
    [302, { location: '/login' }, 'HTTP 302: Found'],
    [200, { 'content-type': 'text/html; charset=utf-8' }, 'the server sent a web page'],
  ] as const)('fails at once for %i %j', async (status, headers, message) => {
    const error = await failureOf((_, response) => response.writeHead(status, headers).end())
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ retryable: false, message: expect.stringContaining(`: ${message}`) })
  })

  it.each([
    [
      'a line without an end',
      { lineBytes: 2_000 },
      '',
      'a line of the answer is longer than the limit of 2000 bytes',
    ],
    [
      'text without an end',
      { totalBytes: 5_000 },
      '\n\n',
      'the answer is longer than the limit of 5000 bytes',
    ],
  ])('does not read %s to its end', async (_, bounds, added, message) => {
    const error = await failureOf(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begins\n\n')
        pour(response, `: ${'x'.repeat(100)}${added}`)
      },
      { ...answerBounds, ...bounds },
    )
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ retryable: false, message: expect.stringContaining(message) })
  })

  it('reads the beginning of an error that has no end', async () => {
    const error = await failureOf((_, response) => pour(response.writeHead(503, 'Busy'), 'x'.repeat(10_000)))
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ status: 503, retryable: true })
  })

  it.each([
    ['{"error":{"message":"no such model: a-1","type":"not_found"}}', 'no such model: a-1', false],
    ['[{"error":{"message":"out of quota","code":429}}]', 'out of quota', true],
    ['{"error":{"message":"upstream is down","code":502}}', 'upstream is down', true],
    ['{"error":"please log in"}', 'please log in', false],
    ['{"detail":"stream is not supported"}', 'stream is not supported', false],
    ['{"choices":[{"message":{"content":"hi"}}]}', '{"choices":[{"message":{"content":"hi"}}]}', false],
  ])('says what a server says that sends JSON rather than a stream: %s', async (json, said, retryable) => {
    const error = await failureOf((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(`\n${json}`),
    )
    expect(error).toBeInstanceOf(ProviderError)
    const message = expect.stringMatching(/: the server sent JSON rather than a stream: /)
    expect(error).toMatchObject({ retryable, message })
    expect((error as Error).message).toContain(said)
  })
})

it.each(['application/json', 'text/plain'])('reads a stream that is sent as %s', async (type) => {
  const { url, close } = await startRawServer((_, response) => {
    response.writeHead(200, { 'content-type': type })
    response.write('data: {"choices":[{"delta":{"content":"one"}}]}\n\n')
    response.end(
      'data: {"choices":[{"delta":{"content":" two"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    )
  })
  const env = providerEnvironment('openai-compatible', url)
  const model = await createResolver({ env, fetch: createFetch(), clock })('openai-compatible/some-model')
  const parts = await collect(await model.stream(modelRequest()))
  expect(
    only(parts, 'text-delta')
      .map(({ delta }) => delta)
      .join(''),
  ).toBe('one two')
  expect(only(parts, 'error')).toEqual([])
  await close()
})

it('waits as long as Gemini asks for in the body of a refusal', async () => {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.Help', links: [] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074824224s' },
  ]
  const error = {
    code: 429,
    message: 'You exceeded your current quota',
    status: 'RESOURCE_EXHAUSTED',
    details,
  }
  const { url, close } = await startRawServer((_, response) =>
    response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify({ error }, null, 2)),
  )
  const model = await createResolver({
    env: providerEnvironment('google', url),
    fetch: createFetch(),
    clock,
  })('google')
  await expect(model.stream(modelRequest())).rejects.toMatchObject({
    status: 429,
    retryable: true,
    retryAfterMs: 34_075,
  })
  await close()
})

/** Writes for as long as somebody reads. */
function pour(response: ServerResponse, text: string): void {
  const more = () => {
    while (!response.destroyed && response.write(text));
  }
  response.on('drain', more)
  more()
}
