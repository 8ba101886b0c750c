import { expect, test } from 'vitest'
import type { Mechanism } from '../../src/core/faults.ts'
import { simulate, type Outcome } from './simulate.ts'

/** Which invariant breaks without each mechanism (docs/durability.md). */
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
