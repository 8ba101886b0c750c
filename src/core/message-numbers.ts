import type { MessageId } from './ids.ts'
import type { Message } from './message.ts'

/**
 * Numbers of a branch's messages for people: 1, 2, 3, ... in order. System messages do not count; each has the number
 * of the message before it. `before`: how many numbered messages come earlier.
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
