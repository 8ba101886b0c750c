import type { Mechanism } from '../support/faults.ts'

/** Which seed of a suite notices that a mechanism is missing, and the invariant that it names. */
export interface Killer {
  readonly suite: 'test:sim' | 'test:kill' | 'test:durability'
  readonly seed: number
  readonly invariant: string
}

export const killers: Readonly<Partial<Record<Mechanism, Killer>>> = {
  'intent-rows': { suite: 'test:sim', seed: 1, invariant: 'R1' },
  'unique-delivery': { suite: 'test:sim', seed: 2, invariant: 'D3' },
  leases: { suite: 'test:sim', seed: 1, invariant: 'R4' },
  'unknown-outcome': { suite: 'test:sim', seed: 4, invariant: 'R2' },
  'answer-after-commit': { suite: 'test:sim', seed: 55, invariant: 'D1' },
}
