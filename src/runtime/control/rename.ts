import type { ConversationId } from '../../core/ids.ts'
import type { Deps } from '../context/deps.ts'
import { notHere, type VerbScope } from './verb-scope.ts'

export interface RenameAnswer {
  readonly conversationId: ConversationId
  readonly title: string
}

/** Changes the title of a conversation: the first line, at most 200 characters. */
export async function rename(
  { deps, live, settle }: VerbScope<Pick<Deps, 'recorder'>>,
  id: string,
  text: string,
): Promise<RenameAnswer> {
  if (id !== live.id) throw notHere(id, live.id)
  const title = text.trim().split('\n', 1)[0]!.slice(0, 200)
  const answer = { conversationId: live.id, title }
  return await deps.recorder.record(live.id, (change) => {
    change.tx.update('conversations', live.id, { title })
    const nowhere = { branchId: null, runId: null, parentRunId: null, depth: 0 }
    change.event({ type: 'conversation.updated', at: change.at, conversationId: live.id, ...nowhere, title })
    settle(change.tx, answer)
    return answer
  })
}
