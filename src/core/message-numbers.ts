import type { MessageId } from './ids.ts'
import type { Message } from './message.ts'

/**
 * What people call the messages of a branch: 1, 2, 3, ... in their order. System messages are not counted: each has the
 * number of the message before it. `before`: how many numbered messages stand before the first of these.
 */
export function messageNumbers(
  messages: readonly Pick<Message, 'id' | 'role'>[],
  before = 0,
): ReadonlyMap<MessageId, number> {
  const numbers = new Map<MessageId, number>()
  let number = before
  for (const { id, role } of messages) {
    if (role !== 'system') number++
    numbers.set(id, number)
  }
  return numbers
}
