import { OffshootError } from '../../core/errors.ts'
import { ignoreLateRejection } from '../../core/rejections.ts'
import { hasRunMark } from '../../exec/run-marks.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import type { FirstEvents } from '../../runtime/log/first-events.ts'
import { writeStderr, type Io } from '../io.ts'
import { hasPerson } from '../person-only-commands.ts'
import { follow, type FollowFlags } from '../terminal/follow-run.ts'
import { printsAsked } from '../terminal/open-asks.ts'
import { isBelow, isTreeDone } from '../terminal/own-branches.ts'
import { watchedLocally, type Watched } from '../terminal/watched-run.ts'
import { runElsewhere, watchedElsewhere } from './server-run.ts'

export interface DrivenHere {
  readonly composed: Composed
  readonly first: FirstEvents
  /** Ends the attendance that began before the run was driven. */
  readonly leave: () => void
}

/**
 * Follows a run that this process drives. A process that was suspended for longer than its lease finds that another one
 * has taken the conversation: then the run is followed there. Returns the exit code of the run.
 */
export async function followHere(
  started: StartedRun,
  flags: FollowFlags,
  { composed, first, leave }: DrivenHere,
  io: Io,
): Promise<number> {
  const isOwn = isBelow(composed.store, started.branchId)
  const here = { ...watchedLocally(composed, first), leave, isOwn }
  const either = hereOrThere(started, here, composed, io)
  return await follow(either.started, flags, either.watched, io)
}

/** The same run and what shows it, wherever it is driven. */
function hereOrThere(
  started: StartedRun,
  here: Watched,
  composed: Composed,
  io: Io,
): { readonly started: StartedRun; readonly watched: Watched } {
  const there = watchedElsewhere(composed, started)
  const switches = new Set<() => void>()
  let taken: StartedRun | undefined
  const result = started.result.catch(async (error: unknown) => {
    if (!isTaken(error, started, composed) || hasRunMark(io.env)) throw error
    taken = runElsewhere(started, composed, () => isTreeDone(composed.store, started))
    await printTaken(started, composed, io)
    for (const change of switches) change()
    const endAsking = hasPerson(io) ? () => {} : printOpenAsks(started, there, io)
    return await taken.result.finally(endAsking)
  })
  ignoreLateRejection(result)
  const either = (show: (from: Watched) => () => void) => {
    const ends = [show(here)]
    const change = () => void ends.push(show(there))
    switches.add(change)
    return () => {
      switches.delete(change)
      for (const end of ends) end()
    }
  }
  const { approvals } = here.runtime
  const driver = () => (taken ? there : here).runtime
  return {
    started: { ...started, result, stop: (verb) => (taken ?? started).stop(verb) },
    watched: {
      ...here,
      follow: (position, show) => either((from) => from.follow(position, show)),
      runtime: {
        subscribe: (id, subscriber) => either((from) => from.runtime.subscribe(id, subscriber)),
        approvals: {
          attend: () => approvals.attend(),
          answer: (target, args) => driver().approvals.answer(target, args),
        },
        questions: { answer: (target, args) => driver().questions.answer(target, args) },
      },
    },
  }
}

/** Whether another process has the lease of a run that is still stored. */
function isTaken(error: unknown, { conversationId, runId }: StartedRun, { store, owner }: Composed): boolean {
  if (!(error instanceof OffshootError) || error.code !== 'conflict') return false
  const lease = store.get('leases', conversationId)
  return lease !== undefined && lease.owner !== owner && store.get('runs', runId) !== undefined
}

async function printTaken({ conversationId }: StartedRun, { store }: Composed, io: Io): Promise<void> {
  const pid = store.get('leases', conversationId)?.pid
  const taken = `process ${pid} has taken over ${conversationId}, because this one was suspended`
  await writeStderr(io, `offshoot: ${taken}; this command now follows the run there\n`)
}

/** Nobody sits at this terminal, but the other process may have people to ask: the run then waits for them. */
function printOpenAsks({ conversationId }: StartedRun, there: Watched, io: Io): () => void {
  return there.runtime.subscribe(conversationId, printsAsked(there.store, conversationId, io))
}
