import type { StoredRun, RunLimits } from '../../core/run.ts'

/** Cost of one or more requests. */
export type UsageAndCost = Pick<StoredRun, 'usage' | 'costUsd'>

/** The fields of a run that make its account. */
export type Spender = UsageAndCost & Pick<StoredRun, 'id' | 'parentRunId' | 'depth' | 'status' | 'limits'>

/** The same, with its name for error messages, and whether it continues by itself. */
export type AccountRow = Spender & Pick<StoredRun, 'agent' | 'branchId' | 'background' | 'reason'>

/** A run whose row changes while it runs. */
export interface RunOnAccount {
  readonly row: AccountRow
  /** A share grew, its own or one above it. The driver of that run stores it. */
  grow(caps: Pick<RunLimits, 'maxCostUsd' | 'maxTokens'>): void
  /** Subscribes to state changes. Absent: this process does not drive it. */
  watch?(onMoved: () => void): void
}

/** A run known only by its row: this process does not drive it. */
export function storedRun(stored: AccountRow): RunOnAccount {
  let row = stored
  return {
    get row() {
      return row
    },
    grow: (caps) => void (row = { ...row, limits: { ...row.limits, ...caps } }),
  }
}
