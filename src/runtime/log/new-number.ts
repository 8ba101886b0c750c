import type { ConversationId } from '../../core/ids.ts'
import type { Reader } from '../../store/port.ts'

/** The next number of a conversation in its store. Call it in the transaction that inserts the conversation. */
export function nextConversationNumber(reader: Reader): number {
  const [last] = reader.find('conversations', {
    orderBy: 'number',
    after: 0,
    descending: true,
    limit: 1,
  })
  return (last?.number ?? 0) + 1
}

/** The next number of a branch in its conversation, where the main branch has 0. Call it where the branch is inserted. */
export function nextBranchNumber(reader: Reader, conversationId: ConversationId): number {
  const numbered = { where: { conversationId }, orderBy: 'number', after: 0 } as const
  const [branch] = reader.find('branches', { ...numbered, descending: true, limit: 1 })
  return (branch?.number ?? 0) + 1
}
