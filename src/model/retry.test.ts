import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProviderError, type ProviderErrorDetails } from '../core/errors.ts'
import { backOffMs, isRefusal, retryDelay, retryLimits } from './retry.ts'

const random = fc.double({ min: 0, max: 1, noNaN: true })

function error(details: Partial<ProviderErrorDetails> = {}): ProviderError {
  return new ProviderError('it failed', { retryable: true, ...details })
}

describe('retryDelay', () => {
  it('doubles up to a minute, jittered by half', () => {
    const delays = (r: number) => [1, 2, 3, 4, 5].map((attempt) => retryDelay(error(), attempt, () => r))
    expect(delays(1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000])
    expect(delays(0)).toEqual([500, 1_000, 2_000, 4_000, 8_000])
  })

  it('ends after the last try', () => {
    expect(retryDelay(error(), retryLimits.tries - 1, () => 0)).not.toBeNull()
    expect(retryDelay(error(), retryLimits.tries, () => 0)).toBeNull()
  })

  it('does not retry what is not retryable', () => {
    expect(retryDelay(error({ retryable: false, status: 400 }), 1, () => 0)).toBeNull()
  })

  it('waits at least as long as it was asked to, and not much longer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: retryLimits.maxRetryAfterMs }), random, (retryAfterMs, r) => {
        const delay = retryDelay(error({ retryAfterMs, status: 429 }), 1, () => r)
        expect(delay).toBeGreaterThanOrEqual(retryAfterMs)
        expect(delay).toBeLessThanOrEqual(retryAfterMs * 1.1 + 1)
      }),
    )
  })

  it('backs off where "at once" was asked, and gives up where the wait is too long', () => {
    expect(retryDelay(error({ retryAfterMs: 0 }), 1, () => 1)).toBe(1_000)
    expect(retryDelay(error({ retryAfterMs: retryLimits.maxRetryAfterMs + 1 }), 1, () => 0)).toBeNull()
  })

  it('is always a time within its bounds, or null', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), random, (attempt, r) => {
        const delay = retryDelay(error(), attempt, () => r)
        expect(delay === null || (delay > 0 && delay <= retryLimits.maxDelayMs)).toBe(true)
        expect(delay === null).toBe(attempt >= retryLimits.tries)
      }),
    )
  })
})

describe('isRefusal', () => {
  it.each([
    [true, { status: 429 }],
    [true, { status: 529 }],
    [true, { status: 429, retryAfterMs: retryLimits.maxRetryAfterMs }],
    [false, { status: 429, retryAfterMs: retryLimits.maxRetryAfterMs + 1 }],
    [false, { status: 429, retryAfterMs: Infinity }],
    [false, { status: 429, retryable: false }],
    [false, { status: 503, retryAfterMs: 1_000 }],
    [false, {}],
  ])('is %s of %j', (expected, details) => {
    expect(isRefusal(error(details))).toBe(expected)
  })

  it('is nothing that is no answer of a provider', () => {
    for (const other of [undefined, null, 429, new Error('429')]) expect(isRefusal(other)).toBe(false)
  })
})

describe('backOffMs', () => {
  it('has an end, whatever is asked for and however often it failed', () => {
    const asked = fc.option(fc.oneof(fc.nat(), fc.constant(Infinity)), { nil: undefined })
    fc.assert(
      fc.property(asked, fc.integer({ min: 1, max: 10_000 }), random, (retryAfterMs, failures, r) => {
        const wait = backOffMs(error(retryAfterMs === undefined ? {} : { retryAfterMs }), failures, () => r)
        expect(wait).toBeGreaterThan(0)
        expect(wait).toBeLessThanOrEqual(retryLimits.maxRetryAfterMs * 1.1)
      }),
    )
  })
})
