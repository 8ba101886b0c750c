import type { OffshootEvent } from '../../core/events.ts'
import type { BranchId } from '../../core/ids.ts'
import { isStopped } from '../../core/run-status.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import { waitingItems } from '../../runtime/run/inbox.ts'
import type { Reader } from '../../store/port.ts'

/** Whether an event belongs to a branch or to what was spawned below it. Every event must be asked about, in order. */
export function isBelow(store: Reader, root: BranchId): (event: OffshootEvent) => boolean {
  return ofBranches(branchesBelow(store, root))
}

/** The branch and what was spawned below it. A fork is work of its own. */
export function branchesBelow(store: Reader, root: BranchId): Set<BranchId> {
  const { conversationId } = store.get('branches', root)!
  const all = store.find('branches', { where: { conversationId }, orderBy: 'id' })
  const found = new Set([root])
  for (const { id, kind, parentBranchId } of all)
    if (kind !== 'fork' && parentBranchId !== null && found.has(parentBranchId)) found.add(id)
  return found
}

/** The set grows with the branches that events create. */
function ofBranches(branches: Set<BranchId>): (event: OffshootEvent) => boolean {
  return (event) => {
    const { branchId } = event
    if (branchId === null) return false
    const isNew = event.type === 'branch.created' && event.kind !== 'fork'
    if (isNew && event.parentBranchId !== null && branches.has(event.parentBranchId)) branches.add(branchId)
    return branches.has(branchId)
  }
}

/** Whether nothing runs on a branch and below it, and no report is about to start a run there. */
export function isTreeDone(
  store: Reader,
  { conversationId, branchId }: Pick<StartedRun, 'conversationId' | 'branchId'>,
): boolean {
  const branches = branchesBelow(store, branchId)
  const runs = store
    .find('runs', { where: { conversationId }, orderBy: 'id' })
    .filter((run) => branches.has(run.branchId))
  const latest = [...new Map(runs.map((run) => [run.branchId, run])).values()]
  const wakes = latest.some(
    (run) => run.status === 'completed' && waitingItems(store, run.branchId).length > 0,
  )
  return !wakes && runs.every(({ status }) => isStopped(status))
}
