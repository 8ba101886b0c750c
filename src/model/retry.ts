import { ProviderError } from '../core/errors.ts'

export const retryLimits = {
  /** Tries per request, including the first. */
  tries: 6,
  firstDelayMs: 1_000,
  maxDelayMs: 60_000,
  /** Longer waits requested by a provider are not waited for. */
  maxRetryAfterMs: 600_000,
} as const

/**
 * Delay before the next try of a request in milliseconds; null: no further try. @param attempt the tries so far, at
 * least 1 @param random 0 to 1, so that runs that failed together do not retry together
 */
export function retryDelay(error: ProviderError, attempt: number, random: () => number): number | null {
  if (!error.retryable || attempt >= retryLimits.tries || asksTooLong(error)) return null
  return backOffMs(error, attempt, random)
}

/**
 * "Not now": a statement about the provider rather than the request, so it applies to all requests there. Excludes
 * waits longer than ours: as with "no money left", a person decides when to ask again.
 */
export function isRefusal(error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError) || !error.retryable || asksTooLong(error)) return false
  return error.status === 429 || error.status === 529
}

/** The provider's delay, at most `maxRetryAfterMs` plus a tenth; otherwise a delay that doubles with each failure. */
export function backOffMs({ retryAfterMs }: ProviderError, failures: number, random: () => number): number {
  const ceiling = Math.min(retryLimits.maxDelayMs, retryLimits.firstDelayMs * 2 ** (failures - 1))
  const backoff = Math.round(ceiling * (0.5 + random() / 2))
  if (retryAfterMs === undefined || retryAfterMs === 0) return backoff
  // at least the requested delay, spread over a tenth more
  return Math.round(Math.min(retryAfterMs, retryLimits.maxRetryAfterMs) * (1 + random() / 10))
}

function asksTooLong({ retryAfterMs = 0 }: ProviderError): boolean {
  return retryAfterMs > retryLimits.maxRetryAfterMs
}
