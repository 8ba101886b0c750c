import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { LiveConversation } from '../conversation/live-conversation.ts'
import type { Deps } from '../context/deps.ts'
import { askOwner } from '../ownership/ask-owner.ts'
import type { Visit } from './acquire-and-drive.ts'
import { perform, type VerbPorts, type VerbAnswers, type VerbCommand } from './verbs.ts'

/** Owners may change while a command is sent, but not forever. */
const TRIES = 5

export type DispatchPorts = VerbPorts & Pick<Deps, 'endOwned' | 'owner' | 'ownership'>

/**
 * Sends a command to the process that owns the conversation. Without an owner, this process acquires the lease, writes
 * the change, starts no run, and releases the lease. `visit` runs it in the conversation as this process drives it or
 * would drive it. @throws OffshootError: the verb's error.
 */
export async function dispatch<V extends VerbCommand>(
  deps: DispatchPorts,
  id: ConversationId,
  command: V,
  visit: <T>(order: Visit<T>) => Promise<T>,
): Promise<VerbAnswers[V['verb']]> {
  const { ownership } = deps
  const here = async (release: () => Promise<void>) => {
    const answer = await visit({ act: (live) => performIn(deps, live, command), release })
    return answer as VerbAnswers[V['verb']]
  }
  if (!ownership) return await here(async () => {})
  for (let tries = 1; ; tries++) {
    const asked = await askOwner({ ...deps, ownership }, id, command)
    if (asked.type === 'answered') return asked.value as VerbAnswers[V['verb']]
    const before = deps.store.get('leases', id)
    try {
      await ownership.acquire(id)
    } catch (error) {
      if (tries < TRIES && isConflict(error)) continue // another process was faster
      throw error
    }
    const release = () => ownership.release(id)
    try {
      deps.recorder.forget(id)
      if (before && before.renewedAt > 0 && before.owner !== deps.owner) await deps.endOwned(before.owner)
    } catch (error) {
      await release()
      throw error
    }
    return await here(release)
  }
}

async function performIn(deps: VerbPorts, live: LiveConversation, command: VerbCommand) {
  await live.recovered
  return await perform({ deps, live, requireOpen: () => {}, settle: () => {} }, command)
}

function isConflict(error: unknown): boolean {
  return error instanceof OffshootError && error.code === 'conflict'
}
