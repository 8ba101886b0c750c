import type { LoopPorts, Reached } from './ports.ts'

/** Thrown in the place of a request that may not be made any more: the run pauses. */
export class Spent extends Error {
  readonly reached: Reached

  constructor(reached: Reached) {
    super(reached.note)
    this.reached = reached
  }
}

/** @throws Spent when a cap of tokens or money has been reached. */
export function checkBudget({ budget }: Pick<LoopPorts, 'budget'>): void {
  const reached = budget.reached()
  if (reached) throw new Spent(reached)
}
