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

/** The part of a scope that one function uses: ports of the runtime, and members of the run tree. */
export interface ScopePart<Ports extends Partial<Deps>, Members extends keyof RunTree> {
  readonly deps: Ports
  readonly tree: Pick<RunTree, Members>
}

/** The other runs of the conversation, as one run needs them. */
export interface RunTree {
  readonly budget: Budget
  readonly receipts: LatestReceipts
  /** Drives a stored run, then whatever waits on its branch. Settles when the run has stopped. */
  drive(run: LiveRun): Promise<void>
  /** Settles when a run has stopped: drives it unless it is driven or stopped already. */
  attach(run: LiveRun): Promise<void>
  /** Whether a run is driven, or about to be by its starter. */
  drives(run: LiveRun): boolean
  /** The latest run of a branch, if this process has driven one. */
  latest(branchId: BranchId): LiveRun | undefined
  /**
   * In the change that writes a run: makes it the latest of its branch, so that the next change of the same commit
   * finds it.
   */
  publish(run: LiveRun): void
  /** That change was not stored: the earlier run is the latest again. */
  withdraw(run: LiveRun): void
  /** The latest runs of all branches below a branch, deepest first, whichever of its runs started them. */
  below(branchId: BranchId): readonly LiveRun[]
}
