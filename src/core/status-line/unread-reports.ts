import type { Message } from '../message.ts'

/**
 * Number of reports after the last answer of a branch: delivered, but not read by a request. A run that pauses for its
 * budget took them from its inbox before it could not pay for the request.
 */
export function unansweredReports(messages: readonly Pick<Message, 'role' | 'parts'>[]): number {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
  return since.flatMap(({ parts }) => parts.filter(({ type }) => type === 'report')).length
}
