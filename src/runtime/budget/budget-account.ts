import type { StoredRun, RunLimits } from '../../core/run.ts'

/** What one or more requests came to. */
export type UsageAndCost = Pick<StoredRun, 'usage' | 'costUsd'>

/** As much of a run as its account is made of. */
export type Spender = UsageAndCost & Pick<StoredRun, 'id' | 'parentRunId' | 'depth' | 'status' | 'limits'>

/** The same, with what a refusal names it by, and what says whether it goes on by itself. */
export type AccountRow = Spender & Pick<StoredRun, 'agent' | 'branchId' | 'background' | 'reason'>

/** A run whose row changes as it goes. */
export interface RunOnAccount {
  readonly row: AccountRow
  /** Its share has grown, its own or that of a run above it. Whoever drives that run stores it. */
  grow(caps: Pick<RunLimits, 'maxCostUsd' | 'maxTokens'>): void
  /** Calls back when it is in another state. Absent: this process does not drive it. */
  watch?(onMoved: () => void): void
}

/** A run of which only the row is known: this process does not drive it. */
export function storedRun(stored: AccountRow): RunOnAccount {
  let row = stored
  return {
    get row() {
      return row
    },
    grow: (caps) => void (row = { ...row, limits: { ...row.limits, ...caps } }),
  }
}
