import type { Mechanism } from '../support/faults.ts'

/** Which seed of a suite notices that a mechanism is missing, and the invariant that it names. */
export interface Killer {
  readonly suite: 'test:sim' | 'test:kill'
  readonly seed: number
  readonly invariant: string
}

/** `node test/mutants/find.ts` finds the seeds anew, once the worlds of the simulator have changed. */
export const killers: Readonly<Record<Mechanism, Killer>> = {
  'intent-rows': { suite: 'test:sim', seed: 3, invariant: 'R1' },
  'unique-delivery': { suite: 'test:sim', seed: 3, invariant: 'D3' },
  leases: { suite: 'test:sim', seed: 98, invariant: 'R2' },
  'unknown-outcome': { suite: 'test:sim', seed: 4, invariant: 'R2' },
  'answer-after-commit': { suite: 'test:sim', seed: 55, invariant: 'D1' },
  'full-sync': { suite: 'test:sim', seed: 2, invariant: 'D1' },
  'process-mark': { suite: 'test:kill', seed: 1, invariant: 'R6' },
  waking: { suite: 'test:sim', seed: 3, invariant: 'D4' },
  'stated-reason': { suite: 'test:sim', seed: 21, invariant: 'D5' },
  'authority-chain': { suite: 'test:sim', seed: 22, invariant: 'A1' },
  attribution: { suite: 'test:sim', seed: 4, invariant: 'P3' },
  attendance: { suite: 'test:sim', seed: 3, invariant: 'A3' },
  'answer-once': { suite: 'test:sim', seed: 51, invariant: 'A2' },
  reservation: { suite: 'test:sim', seed: 10, invariant: 'B1' },
  'request-check': { suite: 'test:sim', seed: 10, invariant: 'B1' },
  watchdog: { suite: 'test:sim', seed: 17, invariant: 'R4' },
  'whole-tree-stop': { suite: 'test:sim', seed: 534, invariant: 'P6' },
  receipts: { suite: 'test:sim', seed: 3, invariant: 'P7' },
  'claim-check': { suite: 'test:sim', seed: 15, invariant: 'P7' },
  'report-bound': { suite: 'test:sim', seed: 31, invariant: 'P8' },
}
