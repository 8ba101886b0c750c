import { expect, test } from 'vitest'
import type { FaultPoint } from '../support/faults.ts'
import { play } from './play.ts'
import { scenarioOf } from './seeds.ts'

/**
 * Seeds, and how many of their programs at least are killed on a machine of any speed: each first program dies at a fault
 * point, and so does the second one of 22, which has everything to do again. A program that is quicker than the clock that is
 * to kill it ends by itself. Most programs of 22 are servers, which somebody uses over HTTP.
 */
const SEEDS = [
  [20, 1],
  [22, 2],
] as const
const QUIET_MS = 60_000
/** What does not end is named after a minute, at each of the stages of a seed. */
const TOLD_MS = 300_000

/** more-seeds.test.ts plays ten others; `npm run test:kill` plays a hundred, and prints the figures. */
test.each(SEEDS)(
  'nothing is lost and nothing done twice (seed %i)',
  { timeout: TOLD_MS },
  async (seed, least) => {
    const { violations, kills, quietMs, folder } = await play(scenarioOf(seed))
    expect(violations, `${folder}/log.txt`).toEqual([])
    expect(quietMs).toBeLessThan(QUIET_MS)
    expect(kills).toBeGreaterThanOrEqual(least)
  },
)

test('what a recovery that was killed has found is told by the next one', { timeout: 60_000 }, async () => {
  const point = (name: FaultPoint) => ({ type: 'point', point: name, time: 1 }) as const
  const deaths = [point('effect.after'), point('recovery.after')]
  const played = await play({ seed: 3, children: 1, effects: ['append'], deaths })
  expect(played).toMatchObject({
    violations: [],
    kills: 2,
    unknown: [expect.stringContaining('append.sh a00-0')],
  })
})
