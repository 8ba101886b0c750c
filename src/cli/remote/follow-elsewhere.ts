import type { Composed } from '../../runtime/host/compose.ts'
import { hasRunMark } from '../../exec/run-marks.ts'
import { exitCodes } from '../exit-codes.ts'
import { hasPerson } from '../person-only-commands.ts'
import { writeStderr, type Io } from '../io.ts'
import { follow, type FollowFlags } from '../terminal/follow-run.ts'
import { isBelow, isTreeDone } from '../terminal/own-branches.ts'
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
  const started = runElsewhere(place, composed, () => isTreeDone(store, place))
  const watched = { ...watchedElsewhere(composed, started), isOurs: isBelow(store, place.branchId) }
  const asked = hasPerson(io) ? flags : { ...flags, approvals: 'wait' as const }
  return await follow(started, asked, watched, io)
}
