import type { StoredRun } from './run.ts'

type Turns = { readonly turns: number; readonly limits: Pick<StoredRun['limits'], 'maxTurns'> }

/** Turns of all runs of a branch, oldest first, and their maximum once the last run has used its own. */
export function turnsOfBranch(runs: readonly Turns[]): { readonly used: number; readonly most: number } {
  const used = runs.reduce((sum, { turns }) => sum + turns, 0)
  const last = runs.at(-1)
  return { used, most: last ? used - last.turns + last.limits.maxTurns : 0 }
}

/** `2/10 turns`; for several runs `3 runs: 14 turns`, because each has its own limit. */
export function turnsText(runs: readonly Turns[]): string {
  const { used, most } = turnsOfBranch(runs)
  return runs.length > 1
    ? `${runs.length} runs: ${used} ${used === 1 ? 'turn' : 'turns'}`
    : `${used}/${most} turns`
}
