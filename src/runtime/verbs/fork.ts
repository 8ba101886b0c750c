import type { BranchId } from '../../core/ids.ts'
import { requireMessage, writeFork } from '../fork.ts'
import { notHere, type VerbScope } from './verb.ts'

export interface ForkAnswer {
  readonly branchId: BranchId
}

/** Makes a branch at a message, without a run. @throws OffshootError `usage` when the id names no message. */
export async function fork({ deps, live, settle }: VerbScope, id: string): Promise<ForkAnswer> {
  const message = requireMessage(deps.store, id)
  if (message.conversationId !== live.id) throw notHere(id, live.id)
  return await deps.recorder.record(live.id, (change) => {
    const answer = { branchId: writeFork(change, deps, message).id }
    settle(change.tx, answer)
    return answer
  })
}
