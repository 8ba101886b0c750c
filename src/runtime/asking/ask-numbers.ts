import type { ConversationId } from '../../core/ids.ts'
import type { Reader } from '../../store/port.ts'

/**
 * The next number for approvals and questions of a conversation. Call it in the transaction that inserts the ask:
 * clocks of processes may differ, so the order of ids is not the order of asking.
 */
export function nextAskNumber(reader: Reader, conversationId: ConversationId): number {
  const last = { where: { conversationId }, orderBy: 'number', descending: true, limit: 1 } as const
  const [approval] = reader.find('approvals', last)
  const [question] = reader.find('questions', last)
  return Math.max(approval?.number ?? 0, question?.number ?? 0) + 1
}
