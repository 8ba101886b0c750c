import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addCost, addUsage, noUsage, type Usage } from './usage.ts'

const tokens = fc.nat(1_000_000_000)
const usages: fc.Arbitrary<Usage> = fc.record({
  input: tokens,
  output: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  reasoning: tokens,
})
/** Cents, so that sums of them are exact. */
const costs = fc.option(fc.nat(1_000_000))

test('usage adds up field by field, in any order', () => {
  fc.assert(
    fc.property(fc.array(usages), (all) => {
      const sum = all.reduce(addUsage, noUsage)
      for (const field of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const) {
        expect(sum[field]).toBe(all.map((usage) => usage[field]).reduce((a, b) => a + b, 0))
      }
      expect(all.toReversed().reduce(addUsage, noUsage)).toEqual(sum)
    }),
  )
})

test('a sum with an unknown cost is unknown, never a number', () => {
  fc.assert(
    fc.property(fc.array(costs), (all) => {
      const sum = all.reduce(addCost, 0)
      if (all.includes(null)) expect(sum).toBeNull()
      else expect(sum).toBe(all.reduce<number>((a, b) => a + (b ?? 0), 0))
    }),
  )
})
