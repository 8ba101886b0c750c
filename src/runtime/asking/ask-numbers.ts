import type { ConversationId } from '../../core/ids.ts'
import type { Reader } from '../../store/port.ts'

/**
 * The number of the next thing that a conversation asks, approvals and questions alike. To be called in the transaction
 * that inserts it: the clock of another process may be behind, so the order of ids is not the order of asking.
 */
export function nextAskNumber(reader: Reader, conversationId: ConversationId): number {
  const last = { where: { conversationId }, orderBy: 'number', descending: true, limit: 1 } as const
  const [approval] = reader.find('approvals', last)
  const [question] = reader.find('questions', last)
  return Math.max(approval?.number ?? 0, question?.number ?? 0) + 1
}
