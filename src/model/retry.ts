import { ProviderError } from '../core/errors.ts'

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
  if (!error.retryable || attempt >= retryLimits.tries || asksTooLong(error)) return null
  return backOffMs(error, attempt, random)
}

/**
 * "Not now": an answer about the provider rather than about the request, so that it holds for every request there. One
 * that asks for more than we wait is none: as with "no money left", asking later is somebody else's decision.
 */
export function isRefusal(error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError) || !error.retryable || asksTooLong(error)) return false
  return error.status === 429 || error.status === 529
}

/** What the provider asked for, at most `maxRetryAfterMs` and a tenth, else a wait that doubles with each failure. */
export function backOffMs({ retryAfterMs }: ProviderError, failures: number, random: () => number): number {
  const ceiling = Math.min(retryLimits.maxDelayMs, retryLimits.firstDelayMs * 2 ** (failures - 1))
  const backoff = Math.round(ceiling * (0.5 + random() / 2))
  if (retryAfterMs === undefined || retryAfterMs === 0) return backoff
  // at least what was asked for, spread over a tenth more
  return Math.round(Math.min(retryAfterMs, retryLimits.maxRetryAfterMs) * (1 + random() / 10))
}

function asksTooLong({ retryAfterMs = 0 }: ProviderError): boolean {
  return retryAfterMs > retryLimits.maxRetryAfterMs
}
