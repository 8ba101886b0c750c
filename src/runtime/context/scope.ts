import type { BranchId } from '../../core/ids.ts'
import type { Workspace } from '../../tools/port.ts'
import type { Budget } from '../budget/budget.ts'
import type { Deps } from './deps.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { LatestReceipts } from '../run/receipts.ts'
import type { SystemText } from './system-text.ts'

/** What the runs of one conversation share. */
export interface Scope {
  readonly deps: Deps
  readonly workspace: Workspace
  readonly systemText: SystemText
  readonly tree: RunTree
}

/** What one function uses of a scope: ports of the runtime, and members of the run tree. */
export interface ScopePart<Ports extends Partial<Deps>, Members extends keyof RunTree> {
  readonly deps: Ports
  readonly tree: Pick<RunTree, Members>
}

/** The other runs of the conversation, as one run needs them. */
export interface RunTree {
  readonly budget: Budget
  readonly receipts: LatestReceipts
  /** Drives a run that is in the store, and then whatever waits on its branch. Settles when the run has stopped. */
  drive(run: LiveRun): Promise<void>
  /** Settles when a run has stopped: drives it unless that is done already, or it has stopped before. */
  attach(run: LiveRun): Promise<void>
  /** Whether a run is being driven, or is about to be by the one that has just started it. */
  drives(run: LiveRun): boolean
  /** The latest run of a branch, if this process has driven one. */
  latest(branchId: BranchId): LiveRun | undefined
  /**
   * In the change that writes a run: makes it the latest of its branch, so that the next change finds it, which may be of
   * the same commit.
   */
  publish(run: LiveRun): void
  /** That change was not stored: the latest run is the one before. */
  withdraw(run: LiveRun): void
  /** The latest runs of all branches below a branch, the deepest first: whichever of its runs started them. */
  below(branchId: BranchId): readonly LiveRun[]
}
