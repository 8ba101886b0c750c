import type { LoopPorts, Reached } from './ports.ts'

/** Thrown instead of making a request that exceeds a cap: the run pauses. */
export class BudgetReached extends Error {
  readonly reached: Reached

  constructor(reached: Reached) {
    super(reached.note)
    this.reached = reached
  }
}

/** @throws BudgetReached if a cap of tokens or money has been reached. */
export function checkBudget({ budget }: Pick<LoopPorts, 'budget'>): void {
  const reached = budget.reached()
  if (reached) throw new BudgetReached(reached)
}
