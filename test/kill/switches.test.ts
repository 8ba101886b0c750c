import { describe, expect, test } from 'vitest'
import { killers } from '../mutants/killers.ts'
import { mechanisms, type Mechanism } from '../support/faults.ts'
import { play, type Scenario } from './play.ts'
import { scenarioOf } from './seeds.ts'
import { playStopped } from './stopped.ts'

const LIMIT_MS = 60_000

/** Each in a scenario in which it matters: with it nothing is wrong, and without it the checker says what. */
const scenarios: readonly (readonly [Mechanism, Omit<Scenario, 'seed'>, RegExp])[] = [
  [
    'intent-rows',
    { children: 1, effects: ['append'], deaths: [{ type: 'point', point: 'effect.after', time: 1 }] },
    /^R2: a00-0 stands 2 times in the ledger$/,
  ],
  [
    'unknown-outcome',
    { children: 1, effects: ['append'], deaths: [{ type: 'point', point: 'effect.after', time: 1 }] },
    /^R2: a00-0 stands 2 times in the ledger$/,
  ],
  [
    'unique-delivery',
    {
      children: 1,
      effects: ['append'],
      background: 'all',
      deaths: [{ type: 'point', point: 'delivery.after', time: 1 }],
    },
    /^D3: its parent reads the report of a00 2 times, not 1$/,
  ],
  [
    'answer-after-commit',
    { children: 1, effects: ['ask'], deaths: [{ type: 'told', text: '"type":"approval.requested"' }] },
    /^D1: approval\.requested \(\d+\) was told and is not stored$/,
  ],
  [
    'process-mark',
    {
      children: 1,
      effects: ['background', 'append'],
      deaths: [{ type: 'point', point: 'effect.before', time: 2 }],
    },
    /^R6: what a00-0 left, process \d+ outlives its owner$/,
  ],
]

describe.each(scenarios)('%s', { timeout: LIMIT_MS }, (off, scenario, violation) => {
  test('holds', async () => {
    const { violations, kills } = await play({ seed: 1, ...scenario })
    expect({ violations, kills }).toEqual({ violations: [], kills: 1 })
  })

  test('is missed when it is off', async () => {
    const { violations } = await play({ seed: 1, ...scenario, off })
    expect(violations).toContainEqual(expect.stringMatching(violation))
  })
})

/** The seeds of `npm run test:kill` that docs/durability.md names. */
const named = Object.entries(killers).filter(([, { suite }]) => suite === 'test:kill')

test.each(named)('the seed of %s notices', { timeout: 2 * LIMIT_MS }, async (name, { seed, invariant }) => {
  const off = mechanisms.find((each) => each === name)
  const { violations } = await play({ ...scenarioOf(seed), off })
  expect(violations).toContainEqual(expect.stringMatching(`^${invariant}: `))
})

/** It stands still between the row of a call and its effect, and another process takes the conversation over. */
describe('leases', { timeout: LIMIT_MS }, () => {
  const scenario = { seed: 1, children: 3, effects: ['append', 'append'], deaths: [] } as const
  const stop = { at: 'effect.before:2', forMs: 0 }

  test('hold: the old owner, woken, writes nothing, and its call is unknown', async () => {
    const { violations, unknown } = await playStopped(scenario, stop)
    expect(violations).toEqual([])
    expect(unknown).toContainEqual(expect.stringContaining('sh append.sh a0'))
  })

  test('are missed when they are off', async () => {
    const { violations } = await playStopped({ ...scenario, off: 'leases' }, stop)
    expect(violations).toContainEqual(expect.stringMatching(/^R5: the old owner, woken, has written$/))
  })
})
