import { expect, test } from 'vitest'
import type { FaultPoint } from '../support/faults.ts'
import { play } from './play.ts'
import { scenarioOf } from './seeds.ts'

const SEEDS = [1, 2]
const QUIET_MS = 60_000
/** What does not end is named after a minute, at each of the stages of a seed. */
const TOLD_MS = 300_000

/** A program that is quicker than the clock which is to kill it ends by itself. */
let killed = 0

/** more-seeds.test.ts plays eight others; `npm run test:kill` plays a hundred of them, and prints the figures. */
test.each(SEEDS)('nothing is lost and nothing done twice (seed %i)', { timeout: TOLD_MS }, async (seed) => {
  const { violations, kills, quietMs, folder } = await play(scenarioOf(seed))
  expect(violations, `${folder}/log.txt`).toEqual([])
  expect(quietMs).toBeLessThan(QUIET_MS)
  killed += kills
})

test('most programs were killed', () => {
  expect(killed).toBeGreaterThan(SEEDS.length)
})

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
