import { describe, expect, it } from 'vitest'
import { bounds } from '../core/limits.ts'
import { noUsage } from '../core/usage.ts'
import { costOf, free } from './cost-of-usage.ts'
import { toUsage } from './provider-usage.ts'

const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }

describe('costOf', () => {
  it('prices fresh, cached and written input apart', () => {
    const usage = {
      input: 1_000_000,
      output: 100_000,
      cacheRead: 500_000,
      cacheWrite: 100_000,
      reasoning: 50_000,
    }
    expect(costOf(usage, price)).toBeCloseTo(0.4 * 2 + 0.5 * 0.2 + 0.1 * 2.5 + 0.1 * 10, 10)
  })

  it('takes the price of long requests for those above the bound only', () => {
    const tiered = {
      ...price,
      long: { overTokens: 1_000, input: 4, output: 20, cacheRead: 1, cacheWrite: 5 },
    }
    expect(costOf({ ...noUsage, input: 1_000, output: 1_000 }, tiered)).toBeCloseTo(0.012, 10)
    expect(costOf({ ...noUsage, input: 1_001, output: 1_000 }, tiered)).toBeCloseTo(0.024004, 10)
  })

  it('is null for an unknown price and 0 for a free one', () => {
    expect(costOf({ ...noUsage, input: 10 }, null)).toBeNull()
    expect(costOf({ ...noUsage, input: 10, output: 10 }, free)).toBe(0)
  })
})

describe('toUsage', () => {
  it('takes totals, and counts what is not reported as 0', () => {
    expect(
      toUsage({
        inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: undefined },
        outputTokens: { total: 7, text: 5, reasoning: 2 },
      }),
    ).toEqual({ input: 10, output: 7, cacheRead: 6, cacheWrite: 0, reasoning: 2 })
  })

  it('adds up the pieces where a total is missing', () => {
    expect(
      toUsage({
        inputTokens: { total: undefined, noCache: 4, cacheRead: 6, cacheWrite: 1 },
        outputTokens: { total: undefined, text: 5, reasoning: Number.NaN },
      }),
    ).toEqual({ input: 11, output: 5, cacheRead: 6, cacheWrite: 1, reasoning: 0 })
  })

  it.each([1e308, Infinity, -1, 1.5, 2 ** 53, '7'])(
    'counts %j, which is no number of tokens, as 0',
    (odd) => {
      const tokens = odd as number
      const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
      const pieces = { noCache: tokens, cacheRead: tokens, cacheWrite: tokens }
      for (const total of [tokens, undefined]) {
        const usage = {
          inputTokens: { total, ...pieces },
          outputTokens: { total, text: tokens, reasoning: tokens },
        }
        expect(toUsage(usage)).toEqual(none)
      }
    },
  )

  it('never adds up to more than can be counted', () => {
    const most = bounds.requestTokens
    const usage = {
      inputTokens: { total: undefined, noCache: most, cacheRead: most, cacheWrite: 0 },
      outputTokens: { total: undefined, text: most, reasoning: 1 },
    }
    expect(toUsage(usage)).toMatchObject({ input: 0, output: 0 })
  })
})
