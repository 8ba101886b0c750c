/**
 * What each promise stands on. The test build can switch one off, to see that the test of its promise notices; the
 * program that is published has no way to (docs/durability.md and docs/control.md say which test notices what).
 */
export const mechanisms = [
  // delivery and durability: invariants D1 to D5, R1 to R6
  'intent-rows',
  'unique-delivery',
  'leases',
  'unknown-outcome',
  'answer-after-commit',
  'full-sync',
  'process-mark',
  // the promises of docs/control.md
  'waking',
  'stated-reason',
  'authority-chain',
  'attribution',
  'attendance',
  'answer-once',
  'reservation',
  'request-check',
  'watchdog',
  'whole-tree-stop',
  'receipts',
  'claim-check',
  'report-bound',
] as const

export type Mechanism = (typeof mechanisms)[number]

/** Where the test build can end or stop the program: before and after what must be one with its row. */
export const faultPoints = [
  'intent.before',
  'intent.after',
  'effect.before',
  'effect.after',
  'result.before',
  'result.after',
  'delivery.before',
  'delivery.after',
  'migration.before',
  'migration.after',
  'lease.before',
  'lease.after',
  'recovery.before',
  'recovery.taken',
  'recovery.killed',
  'recovery.after',
] as const

export type FaultPoint = (typeof faultPoints)[number]

/** What only tests have another of than `noFaults`. */
export interface Faults {
  readonly isOff: (mechanism: Mechanism) => boolean
  /** Returns, unless the program is to end or stand still there. */
  readonly at: (point: FaultPoint) => void
}

export const noFaults: Faults = { isOff: () => false, at: () => {} }
