import type { ProviderError } from '../core/errors.ts'

export const retryLimits = {
  /** Tries of one request, the first included. */
  tries: 6,
  firstDelayMs: 1_000,
  maxDelayMs: 60_000,
  /** A provider that asks for a longer wait is not waited for. */
  maxRetryAfterMs: 600_000,
} as const

/**
 * How long to wait before the next try of a request, in milliseconds; null when there is to be none.
 * @param attempt the tries so far, at least 1
 * @param random a number from 0 to 1, so that runs that failed together do not come back together
 */
export function retryDelay(error: ProviderError, attempt: number, random: () => number): number | null {
  if (!error.retryable || attempt >= retryLimits.tries) return null
  const { retryAfterMs } = error
  if (retryAfterMs !== undefined && retryAfterMs > retryLimits.maxRetryAfterMs) return null
  const ceiling = Math.min(retryLimits.maxDelayMs, retryLimits.firstDelayMs * 2 ** (attempt - 1))
  const backoff = Math.round(ceiling * (0.5 + random() / 2))
  if (retryAfterMs === undefined) return backoff
  // at least what was asked for, spread over a tenth more
  return Math.max(Math.round(retryAfterMs * (1 + random() / 10)), retryAfterMs === 0 ? backoff : 0)
}
