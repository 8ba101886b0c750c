import { APICallError, JSONParseError, UnsupportedFunctionalityError } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { ProviderError } from '../core/errors.ts'
import { retryAfterMs, toProviderError } from './provider-error.ts'

const NOW = Date.parse('2026-11-01T00:00:00Z')
const source = { id: 'openai/gpt-6-sol', secrets: ['super-secret-value'], now: () => NOW }

function call(
  status: number | undefined,
  message: string,
  more: Partial<ConstructorParameters<typeof APICallError>[0]> = {},
) {
  return new APICallError({
    message,
    url: 'http://127.0.0.1:1/v1/responses',
    requestBodyValues: {},
    ...(status === undefined ? {} : { statusCode: status }),
    ...more,
  })
}

describe('toProviderError', () => {
  it.each([
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [408, true],
    [413, false],
    [422, false],
    [429, true],
    [500, true],
    [503, true],
    [529, true],
  ])('%i is retryable: %s', (status, retryable) => {
    const error = toProviderError(call(status, 'because'), source)
    expect(error).toMatchObject({ code: 'provider', status, retryable })
    expect(error.message).toBe(`openai/gpt-6-sol: HTTP ${status}: because`)
  })

  it.each([
    [400, '{"error":{"code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}', true],
    [400, '{"error":{"code":"content_policy_violation","message":"no"}}', true],
    [
      400,
      '{"error":{"message":"The response was filtered due to Azure OpenAI\u2019s content management policy."}}',
      true,
    ],
    [400, '{"code":"DataInspectionFailed"}', true],
    [400, '{"error":{"code":"invalid_value"}}', false],
    [500, '{"error":{"code":"content_filter"}}', false],
  ])('%i %s is filtered: %s', (status, responseBody, isFiltered) => {
    expect(toProviderError(call(status, 'no', { responseBody }), source)).toMatchObject({ isFiltered })
  })

  it('says how long a provider asks to wait, and until when, where that is not waited for', () => {
    const wait = (seconds: number) =>
      toProviderError(call(429, 'slow down', { responseHeaders: { 'retry-after': String(seconds) } }), source)
    expect(wait(600).message).toBe('openai/gpt-6-sol: HTTP 429: slow down')
    expect(wait(5_400).message).toBe(
      'openai/gpt-6-sol: HTTP 429: slow down; it asks for a wait of 90 min, until 2026-11-01T01:30:00Z, and no request waits for more than 10 min',
    )
    expect(wait(5_400).hint).toBe('Continue after 2026-11-01T01:30:00Z, or with another model.')
  })

  it('tells no money left from too fast', () => {
    const data = { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } }
    expect(toProviderError(call(429, 'quota', { data }), source).retryable).toBe(false)
  })

  it('takes no answer, and an answer that broke off, as retryable', () => {
    const none = toProviderError(
      call(undefined, 'Cannot connect to API: nothing listens on 127.0.0.1:1'),
      source,
    )
    expect(none).toMatchObject({ status: undefined, retryable: true })
    expect(none.message).toBe('openai/gpt-6-sol: no connection: nothing listens on 127.0.0.1:1')
    const cut = toProviderError(call(200, 'Failed to process', { cause: new Error('aborted') }), source)
    expect(cut).toMatchObject({ status: undefined, retryable: true })
    expect(cut.message).toContain('cut off')
    expect(
      toProviderError(new JSONParseError({ text: '{"a', cause: new Error('no') }), source).retryable,
    ).toBe(true)
    expect(toProviderError(Object.assign(new Error('read'), { code: 'ECONNRESET' }), source).retryable).toBe(
      true,
    )
  })

  it.each([
    [{ message: 'Overloaded', type: 'overloaded_error', statusCode: 529, isRetryable: true }, 529, true],
    [{ message: 'slow down', code: 429 }, 429, true],
    [{ message: 'bad', type: 'invalid_request_error' }, undefined, false],
    [{ message: 'bad', code: 'context_length_exceeded' }, undefined, false],
    [{ message: 'hiccup', type: 'server_error' }, undefined, true],
  ])('reads an error inside a stream: %j', (frame, status, retryable) => {
    expect(toProviderError(frame, source)).toMatchObject({ status, retryable })
  })

  it('does not retry what is wrong on our side', () => {
    expect(
      toProviderError(new UnsupportedFunctionalityError({ functionality: 'audio' }), source).retryable,
    ).toBe(false)
    expect(toProviderError(new TypeError('x is not a function'), source).retryable).toBe(false)
    expect(toProviderError('what?', source).retryable).toBe(false)
  })

  it('is one bounded line that shows no key', () => {
    const leaky = [
      'Incorrect key super-secret-value',
      'Incorrect API key provided: sk-proj-abcdef123456',
      'header Bearer abcdef123456 refused',
      'GET /v1beta/models?key=AIzaSyA1234567890&alt=sse',
      'x'.repeat(10_000),
      'two\nlines\r\nhere',
    ]
    for (const text of leaky) {
      const { message } = toProviderError(call(401, text), source)
      expect(message).not.toMatch(/super-secret|abcdef123456|AIzaSy|[\r\n]/)
      expect(message.length).toBeLessThan(600)
      expect(message).toContain('openai/gpt-6-sol')
    }
  })

  it('shows no half of a key that has a line break by mistake', () => {
    const broken = { ...source, secrets: ['first-half\nsecond-half'] }
    const { message } = toProviderError(
      new Error('"first-half second-half" is an invalid header value'),
      broken,
    )
    expect(message).toBe('openai/gpt-6-sol: "[key] [key]" is an invalid header value')
  })

  it('leaves its own kind alone', () => {
    const error = new ProviderError('mine', { retryable: false })
    expect(toProviderError(error, source)).toBe(error)
  })
})

describe('retryAfterMs', () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    [{ 'retry-after': 'Sun, 01 Nov 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 31 Oct 2026 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])('%j is %s', (headers, expected) => {
    expect(retryAfterMs(headers as Record<string, string> | undefined, NOW)).toBe(expected)
  })
})
