import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Deps } from '../context/deps.ts'
import { dispatch, type DispatchPorts } from './dispatch-to-owner.ts'
import type { VerbAnswers, VerbCommand } from './verbs.ts'

/** The start in this process, or the answer of the process that drives the conversation. */
export type StartedOrDispatched<T, V extends VerbCommand> =
  | { readonly here: T; readonly there?: never }
  | { readonly here?: never; readonly there: VerbAnswers[V['verb']] }

/** Owners may change meanwhile, but not forever. */
const TRIES = 3

/** Starts something `here`, unless another live process drives the conversation: then sends it the command. */
export async function startOrDispatch<T, V extends VerbCommand>(
  deps: DispatchPorts,
  id: ConversationId,
  command: V,
  here: () => Promise<T>,
): Promise<StartedOrDispatched<T, V>> {
  for (let tries = 1; ; tries++) {
    try {
      if (!hasOtherOwner(deps, id)) return { here: await here() }
      const there = await dispatch(deps, id, command, async ({ release }) => {
        await release()
        throw new OwnerExited(id)
      })
      return { there }
    } catch (error) {
      // another process acquired or released it in between
      const isTaken = error instanceof OffshootError && error.code === 'conflict'
      if (!isTaken || tries === TRIES || !(error instanceof OwnerExited || hasOtherOwner(deps, id)))
        throw error
    }
  }
}

function hasOtherOwner(deps: Pick<Deps, 'owner' | 'ownership'>, id: ConversationId): boolean {
  const owner = deps.ownership?.livingOwner(id)
  return owner !== undefined && owner.owner !== deps.owner
}

class OwnerExited extends OffshootError {
  constructor(id: ConversationId) {
    super('conflict', `the process that drove ${id} has just exited; try again`)
  }
}
