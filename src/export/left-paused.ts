import type { BranchId } from '../core/ids.ts'
import { leftPausedByBranch } from '../core/status-line/paused-below.ts'
import { branchesOf, type ExportDocument, type ExportedRun } from './document.ts'

export type PlacedRun = ExportedRun & { readonly branchId: BranchId }

/** By branch: its paused subagents at the time it stopped that must be continued by hand. */
export function leftPaused(document: ExportDocument): ReadonlyMap<string, readonly PlacedRun[]> {
  return leftPausedByBranch(placedRuns(document))
}

/** All runs of a document, oldest first. */
export function placedRuns(document: ExportDocument): readonly PlacedRun[] {
  const runs = [...branchesOf(document)].flatMap(({ branch }): PlacedRun[] =>
    branch ? branch.metadata.runs.map((run) => ({ ...run, branchId: branch.id })) : [],
  )
  return runs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
