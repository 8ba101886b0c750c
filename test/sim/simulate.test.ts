import { describe, expect, test } from 'vitest'
import { faultPoints, type Mechanism } from '../../src/core/faults.ts'
import { simulate, type Outcome } from './simulate.ts'
import type { Tally } from './world.ts'

describe('a seed', () => {
  test.each([2, 99, 207, 1982])('%i is the same world each time, event by event', async (seed) => {
    const first = await simulate(seed, { traced: true })
    const second = await simulate(seed, { traced: true })
    expect(first.trace.length).toBeGreaterThan(10)
    expect(second.trace.join('\n')).toBe(first.trace.join('\n'))
    expect(second.faults).toEqual(first.faults)
  })

  test('is another world than the next one', async () => {
    const [first, second] = [await simulate(5, { traced: true }), await simulate(6, { traced: true })]
    expect(second.trace).not.toEqual(first.trace)
  })
})

test('processes die at every point', { timeout: 240_000 }, async () => {
  const faults: Tally = {}
  for (let seed = 1; seed <= 700; seed++)
    for (const [name, times] of Object.entries((await simulate(seed)).faults))
      faults[name] = (faults[name] ?? 0) + times
  const points = faultPoints.filter((point) => !point.startsWith('migration'))
  expect(points.filter((point) => !faults[`crash ${point}`])).toEqual([])
  expect(Object.keys(faults)).toEqual(
    expect.arrayContaining(['crash commit.before', 'crash commit.after', 'lease run out', 'disk', 'poison']),
  )
})

/** What each is for, and so which invariant does not hold without it (docs/durability.md). */
const noticed = [
  ['intent-rows', 'R1'],
  ['unique-delivery', 'D3'],
  ['leases', 'R2'],
  ['unknown-outcome', 'R2'],
  ['answer-after-commit', 'D1'],
] as const satisfies readonly (readonly [Mechanism, string])[]

test.each(noticed)(
  'without %s there is a violation of %s',
  { timeout: 240_000 },
  async (mechanism, invariant) => {
    const found = await firstViolation(mechanism, invariant)
    expect(found?.problems.join('\n')).toContain(`${invariant}: `)
  },
)

async function firstViolation(mechanism: Mechanism, invariant: string): Promise<Outcome | undefined> {
  for (let seed = 1; seed <= MOST; seed++) {
    const outcome = await simulate(seed, { off: [mechanism] })
    if (outcome.problems.some((problem) => problem.startsWith(`${invariant}: `))) return outcome
  }
  return undefined
}

const MOST = 800
