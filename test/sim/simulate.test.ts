import { describe, expect, test } from 'vitest'
import { faultPoints } from '../support/faults.ts'
import { chances, featuresOf } from './features.ts'
import { simulate } from './simulate.ts'
import type { Tally } from './world.ts'

describe('a seed', () => {
  test.each([2, 99, 102, 207, 306, 385, 614, 1982])(
    '%i is the same world each time, event by event',
    async (seed) => {
      const first = await simulate(seed, { traced: true, all: true })
      const second = await simulate(seed, { traced: true, all: true })
      expect(first.trace.length).toBeGreaterThan(10)
      expect(second.trace.join('\n')).toBe(first.trace.join('\n'))
      expect(second.faults).toEqual(first.faults)
    },
  )

  test('is another world than the next one', async () => {
    const [first, second] = [await simulate(5, { traced: true }), await simulate(6, { traced: true })]
    expect(second.trace).not.toEqual(first.trace)
  })
})

test('worlds have everything that is drawn, alone and together', () => {
  const worlds = Array.from({ length: 1_000 }, (_, seed) => featuresOf(seed, true))
  const drawn = new Set(worlds.flatMap((features) => [...features]))
  expect([...drawn].toSorted()).toEqual(Object.keys(chances).toSorted())
  expect(Math.max(...worlds.map(({ size }) => size))).toBe(2)
  expect(worlds.filter(({ size }) => size === 0).length).toBeGreaterThan(100)
})

test('processes die at every point, and every promise is kept', { timeout: 240_000 }, async () => {
  const faults: Tally = {}
  const found: string[] = []
  for (let seed = 1; seed <= 700; seed++) {
    const outcome = await simulate(seed)
    found.push(...outcome.problems.map((problem) => `seed ${seed}: ${problem}`))
    for (const [name, times] of Object.entries(outcome.faults)) faults[name] = (faults[name] ?? 0) + times
  }
  expect(found).toEqual([])
  const points = faultPoints.filter((point) => !point.startsWith('migration'))
  expect(points.filter((point) => !faults[`crash ${point}`])).toEqual([])
  expect(Object.keys(faults)).toEqual(
    expect.arrayContaining(['crash commit.before', 'crash commit.after', 'lease run out', 'disk', 'poison']),
  )
})
