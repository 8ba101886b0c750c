import type { OffshootEvent } from '../../core/events.ts'
import type { BranchId } from '../../core/ids.ts'
import { isStopped } from '../../core/run-status.ts'
import { waitingItems } from '../../runtime/run/inbox.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import type { Reader } from '../../store/port.ts'
import { hasRunMark } from '../../exec/run-marks.ts'
import { exitCodes } from '../exit-codes.ts'
import { hasPerson } from '../person-only-commands.ts'
import { writeStderr, type Io } from '../io.ts'
import { follow, type FollowFlags } from '../terminal/follow-run.ts'
import { printHandedOver } from './server-call.ts'
import { runElsewhere, watchedElsewhere, type PlaceElsewhere } from './server-run.ts'

/**
 * Follows a run that another process started for this command, with what is below it, in the format that was asked for.
 * An agent is told where the run is instead: it may be the one that the run waits for. Returns the exit code of the run. @throws OffshootError `conflict` when nobody drives the conversation any more.
 */
export async function followElsewhere(
  place: PlaceElsewhere,
  flags: FollowFlags,
  composed: Composed,
  io: Io,
): Promise<number> {
  const { store, ownership } = composed
  const owner = ownership?.livingOwner(place.conversationId)
  if (owner) await writeStderr(io, `offshoot: ${place.runId} runs in process ${owner.pid}\n`)
  if (hasRunMark(io.env)) {
    await printHandedOver(place, flags.outputFormat, io)
    return exitCodes.completed
  }
  const branches = branchesBelow(store, place.branchId)
  const started = runElsewhere(place, composed, () => isTreeDone(store, place))
  const watched = { ...watchedElsewhere(composed, started), isOurs: ofBranches(branches) }
  const asked = hasPerson(io) ? flags : { ...flags, approvals: 'wait' as const }
  return await follow(started, asked, watched, io)
}

/** The branch and what was spawned below it. A fork is work of its own. */
function branchesBelow(store: Reader, root: BranchId): Set<BranchId> {
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

/** Whether nothing runs on these branches, and no report is about to start a run. */
function isTreeDone(store: Reader, { conversationId, branchId }: PlaceElsewhere): boolean {
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
