import { AISDKError, APICallError } from '@ai-sdk/provider'
import { errorMessage, ProviderError } from '../core/errors.ts'
import { retryLimits } from './retry.ts'
import { AnswerError, JsonAnswerError, type SaidError } from './http-answer-bounds.ts'
import { isContextTooLong } from './too-long.ts'

export interface ErrorSource {
  /** `provider/model`: prefix of every message. */
  readonly id: string
  /** Keys and tokens in use: providers echo them, and no message may show them. */
  readonly secrets: readonly string[]
  /** Milliseconds since the epoch, for a Retry-After that is a date. */
  readonly now: () => number
}

const MAX_MESSAGE_CHARS = 500
const RETRYABLE_4XX = new Set([408, 425, 429])
const NETWORK_CODES = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET|ERR_HTTP|ERR_STREAM|UND_ERR|Z_)/
const FINAL_KINDS =
  /invalid|auth|permission|not_found|forbidden|context_length|too_large|billing|quota|unsupported/i

/**
 * Converts anything that a provider package throws or sends as an `error` part to one error type with a one-line
 * message.
 */
export function toProviderError(error: unknown, source: ErrorSource): ProviderError {
  if (error instanceof ProviderError) return error
  if (APICallError.isInstance(error)) return fromApiCall(error, source)
  if (isFrame(error)) return fromFrame(error, source)
  if (error instanceof JsonAnswerError && error.said) return fromJsonAnswer(error.said, source)
  if (isBroken(error)) return cutError(source, error)
  return new ProviderError(line(source, errorMessage(error)), { retryable: false, cause: error })
}

/** The answer was truncated. */
export function cutError(source: ErrorSource, cause?: unknown): ProviderError {
  const why = cause === undefined ? '' : `: ${errorMessage(cause)}`
  return new ProviderError(line(source, `the answer was cut off before its end${why}`), {
    retryable: true,
    cause,
  })
}

/**
 * Milliseconds to wait, from the `retry-after-ms` or `retry-after` header (seconds, or a date); undefined without one.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>> | undefined,
  now: number,
): number | undefined {
  const ms = Number.parseFloat(headers?.['retry-after-ms'] ?? '')
  if (ms >= 0) return ms
  const value = headers?.['retry-after']?.trim()
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  const date = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Gemini has no header for it: a `google.rpc.RetryInfo` in the error contains `"retryDelay": "34.07s"`. */
function retryDelayMs(body = ''): number | undefined {
  const seconds = /"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d{1,9})?)s"/.exec(body)?.[1]
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

function fromApiCall(error: APICallError, source: ErrorSource): ProviderError {
  const { statusCode: status } = error
  if (status === undefined) {
    const why = errorMessage(error).replace(/^Cannot connect to API: /, '')
    return new ProviderError(line(source, `no connection: ${why}`), {
      retryable: true,
      cause: error,
    })
  }
  if (error.cause instanceof AnswerError) return toProviderError(error.cause, source)
  // a redirect that is not followed, or 304, would be the same again
  if (status < 300) return cutError(source, error.cause ?? error)
  const wait = retryAfterMs(error.responseHeaders, source.now()) ?? retryDelayMs(error.responseBody)
  const retryable = isRetryableStatus(status) && !isQuota(error.data)
  const said = `${error.message} ${error.responseBody ?? ''}`
  const later = retryable && wait !== undefined ? tooLate(wait, source.now()) : undefined
  return new ProviderError(line(source, apiMessage(error, status)) + (later?.text ?? ''), {
    status,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    isTooLong: isContextTooLong(status, said),
    isFiltered: isRequestFiltered(status, said),
    retryable,
    cause: error,
    ...(later ? { hint: later.hint } : hint(status)),
  })
}

/** A wait too long for automatic retries: names the time, because a person decides when to try again. */
function tooLate(waitMs: number, now: number): { readonly text: string; readonly hint: string } | undefined {
  const { maxRetryAfterMs } = retryLimits
  if (waitMs <= maxRetryAfterMs) return undefined
  const until = new Date(Math.min(now + waitMs, LAST_TIME)).toISOString().replace(/\.\d+Z$/, 'Z')
  const minutes = (ms: number) => `${Math.ceil(ms / 60_000)} min`
  const asked = `it asks for a wait of ${minutes(waitMs)}, until ${until}`
  return {
    text: `; ${asked}, and no request waits for more than ${minutes(maxRetryAfterMs)}`,
    hint: `Continue after ${until}, or with another model.`,
  }
}

/** The latest time that a date can represent. */
const LAST_TIME = 8.64e15

/** Error codes of refused requests: OpenAI, Azure, Alibaba. They are not part of the protocol. */
const FILTERED =
  /\bcontent_filter\b|content_policy_violation|ResponsibleAIPolicyViolation|content management policy|data_?inspection_?failed/i

function isRequestFiltered(status: number | undefined, text: string): boolean {
  return (status === undefined || (status >= 400 && status < 500)) && FILTERED.test(text)
}

function apiMessage(error: APICallError, status: number): string {
  const text = error.message.trim() || error.responseBody?.trim() || ''
  return text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}`
}

/** OpenAI sends 429 both for "slow down" and for "no money left"; waiting helps only the first. */
function isQuota(data: unknown): boolean {
  return /insufficient_quota/.test(JSON.stringify(data ?? null))
}

function isRetryableStatus(status: number): boolean {
  return status >= 500 || RETRYABLE_4XX.has(status)
}

function hint(status: number): { hint?: string } {
  if (status === 401 || status === 403) return { hint: 'Check the key of this provider and its rights.' }
  if (status === 404) return { hint: 'Check the name of the model and the base URL.' }
  return {}
}

/** An error inside a stream: the provider packages pass it on as an object instead of an Error. */
interface Frame {
  readonly message: string
  readonly type?: unknown
  readonly code?: unknown
  readonly statusCode?: unknown
  readonly isRetryable?: unknown
}

function isFrame(error: unknown): error is Frame {
  return (
    typeof error === 'object' &&
    error !== null &&
    !(error instanceof Error) &&
    typeof (error as { message?: unknown }).message === 'string'
  )
}

/** Retries only help if a code says so: otherwise the server does not support streams. */
function fromJsonAnswer(said: SaidError, source: ErrorSource): ProviderError {
  const isRetryable = isRetryableStatus(statusOf(said) ?? 0)
  return fromFrame({ ...said, isRetryable }, source, said.message)
}

function statusOf({ statusCode, code }: Frame): number | undefined {
  return [statusCode, code].map(Number).find((code) => code >= 400 && code <= 599)
}

function fromFrame(
  frame: Frame,
  source: ErrorSource,
  text = `error in the answer: ${frame.message}`,
): ProviderError {
  const status = statusOf(frame)
  const kind = JSON.stringify([frame.type, frame.code])
  const tooLong = isContextTooLong(status, `${kind} ${frame.message}`)
  const isFiltered = isRequestFiltered(status, `${kind} ${frame.message}`)
  const retryable = !tooLong && !isFiltered && isRetryableFrame(frame, status, kind)
  return new ProviderError(line(source, text), {
    ...(status === undefined ? {} : { status }),
    isTooLong: tooLong,
    isFiltered,
    retryable,
    cause: frame,
  })
}

function isRetryableFrame({ isRetryable }: Frame, status: number | undefined, kind: string): boolean {
  if (typeof isRetryable === 'boolean') return isRetryable
  return status === undefined ? !FINAL_KINDS.test(kind) : isRetryableStatus(status)
}

/** A stream that violates its protocol counts as truncated. */
function isBroken(error: unknown): boolean {
  if (error instanceof Error && NETWORK_CODES.test((error as NodeJS.ErrnoException).code ?? '')) return true
  return (
    AISDKError.isInstance(error) &&
    /JSONParse|TypeValidation|InvalidResponseData|EmptyResponse/.test(error.name)
  )
}

function line(source: ErrorSource, text: string): string {
  let safe = errorMessage(text)
  // piece by piece: white space inside a key may come back as other white space
  const pieces = source.secrets.flatMap((secret) => secret.split(/\s+/)).filter((piece) => piece.length > 3)
  for (const piece of pieces) safe = safe.replaceAll(piece, '[key]')
  safe = safe
    .replace(/\b(?:sk|pk|rk|gsk|xai)-[\w*.-]{6,}|\bAIza[\w*-]{6,}|\bBearer\s+[\w.~+/=-]{6,}/g, '[key]')
    .replace(/([?&](?:key|api_key|token)=)[^&\s]+/gi, '$1[key]')
  const cut = safe.length > MAX_MESSAGE_CHARS ? `${safe.slice(0, MAX_MESSAGE_CHARS)}…` : safe
  return `${source.id}: ${cut}`
}
