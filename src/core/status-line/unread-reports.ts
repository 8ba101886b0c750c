import type { Message } from '../message.ts'

/**
 * How many reports stand behind the last answer of a branch: delivered, and read by no request. A run that pauses for its
 * budget has taken them from its inbox before it knew that it could not pay for the request.
 */
export function unansweredReports(messages: readonly Pick<Message, 'role' | 'parts'>[]): number {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
  return since.flatMap(({ parts }) => parts.filter(({ type }) => type === 'report')).length
}
