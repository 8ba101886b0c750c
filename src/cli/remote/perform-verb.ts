import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import type { ConversationId } from '../../core/ids.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { randomIds } from '../../runtime/log/new-id.ts'
import { askOwner } from '../../runtime/ownership/ask-owner.ts'
import { Ownership } from '../../runtime/ownership/leases.ts'
import { authorOfProcess, spokenBy } from '../../runtime/control/speaker.ts'
import type { VerbAnswers, VerbCommand } from '../../runtime/control/verbs.ts'
import { checkTurn, startsTurn } from '../person-only-commands.ts'
import type { Io } from '../io.ts'
import { composeWatched } from '../terminal/compose-watched.ts'
import { openStore } from '../open-store.ts'
import type { IdKind } from '../id-kinds.ts'
import { exactIdOf, idOf } from '../typed-id.ts'
import { requireSubject } from '../unknown-id.ts'

/**
 * Has a verb carried out by the process that drives the conversation, whatever the configuration here is; by this one
 * if there is none. @throws OffshootError: what the verb throws.
 */
export async function performVerb<V extends VerbCommand>(
  io: Io,
  id: ConversationId,
  command: V,
): Promise<VerbAnswers[V['verb']]> {
  const { asked, directory } = await ask(io, id, command)
  if (asked.type === 'answered') return asked.value as VerbAnswers[V['verb']]
  const composed = await composeWatched(directory, {}, io)
  try {
    return await composed.runtime.perform(id, command, composed)
  } finally {
    await composed.guard.close()
    await composed.store.close()
  }
}

/** A conversation, branch or run, with its conversation. */
export interface VerbTarget {
  readonly id: ConversationId
  /** Its own whole id. */
  readonly target: string
}

/** What a verb acts on, the narrowest first. */
export const ACTED_ON: readonly IdKind[] = ['run', 'brn', 'cnv']

/**
 * What a person typed for a conversation, branch or run. `exact`: for a verb that cannot be undone.
 * @throws OffshootError `usage` when it names nothing, or is ambiguous.
 */
export async function verbTarget(io: Io, typed: string, exact?: 'exact'): Promise<VerbTarget> {
  await using store = await openStore(io)
  const target = exact ? exactIdOf(store, typed, io, ACTED_ON) : idOf(store, typed, io, ACTED_ON)
  return { id: requireSubject(store, target, ACTED_ON).conversation.id, target }
}

async function ask(io: Io, id: ConversationId, command: VerbCommand) {
  await using store = await openStore(io)
  if (startsTurn(command)) checkTurn(store, id, io)
  const owner = randomUUID()
  const ownership = new Ownership({ store, clock: systemClock, owner })
  const ports = { store, clock: systemClock, newId: randomIds(systemClock), ownership }
  const asked = await askOwner(ports, id, spokenBy(command, authorOfProcess(store, io.env)))
  return { asked, directory: workspaceOf(store.get('conversations', id)?.directory, io) }
}

/** Nothing is run there: where the directory is gone, what is left of its conversation can still be ended. */
function workspaceOf(directory: string | undefined, io: Io): string {
  const isThere = directory && statSync(directory, { throwIfNoEntry: false })?.isDirectory()
  return isThere ? directory : io.cwd
}
