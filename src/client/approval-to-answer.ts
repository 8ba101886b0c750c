import type { AskRow } from '../protocol/approvals-and-questions.ts'

/**
 * The id of the open approval that `/approve` names by number or id. `asks`: everything that the conversation has
 * asked. @throws Error with a message for people if it is not an open approval.
 */
export function approvalToAnswer(asks: readonly AskRow[], target: string): AskRow['id'] {
  const named = asks.find(({ id, number }) => id === target || String(number) === target)
  if (!named) throw new Error(`there is no approval or question ${shown(target)} in this conversation`)
  const what = `${shown(String(named.number))} (${named.title})`
  if (named.answeredAt !== null) {
    const answer = named.answer ?? 'closed without an answer'
    throw new Error(`${what} was already answered: ${answer}, by ${named.answeredBy ?? 'nobody'}`)
  }
  if (named.kind === 'question') throw new Error(`${what} is a question: answer it with text on its card`)
  return named.id
}

function shown(target: string): string {
  return /^\d+$/.test(target) ? `#${target}` : target
}
