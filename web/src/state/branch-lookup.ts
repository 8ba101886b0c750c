import { latestRun, type BranchView, type ViewState } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { branchPath } from './route.ts'

/** The label of a branch, or the name of its agent. */
export function nameOf(branch: BranchView): string {
  if (branch.kind === 'main') return 'main'
  return branch.label || (branch.kind === 'fork' ? 'fork' : branch.agent)
}

export function runOf(state: ViewState, branchId: string): RunRow | null {
  return latestRun(state, branchId as BranchView['id'])
}

/**
 * The run that a call started. Later messages can add runs to its branch. If the run is not loaded, returns the latest
 * of the branch.
 */
export function runOfCall(state: ViewState, branchId: string, callId: string): RunRow | null {
  const latest = runOf(state, branchId)
  if (!latest || latest.callId === callId) return latest
  return Object.values(state.runs).findLast((run) => run.callId === callId) ?? latest
}

export function branchOf(state: ViewState, branchId: string): BranchView | undefined {
  return state.branches[branchId as BranchView['id']]
}

export function mainOf(state: ViewState): BranchView | undefined {
  return Object.values(state.branches).find((branch) => branch.kind === 'main')
}

export function pathOf(branch: BranchView): string {
  return branchPath(branch.conversationId, branch.kind === 'main' ? null : branch.id)
}
