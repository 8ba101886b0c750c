import type { AskRow } from '../protocol/approvals-and-questions.ts'

/**
 * The id of the open approval that `/approve` names by its number or id. `asks`: what the conversation has asked.
 * @throws Error in words for people: what the number is instead.
 */
export function approvalToAnswer(asks: readonly AskRow[], target: string): AskRow['id'] {
  const named = asks.find(({ id, number }) => id === target || String(number) === target)
  if (!named) throw new Error(`nothing was asked as ${shown(target)} in this conversation`)
  const what = `${shown(String(named.number))} (${named.title})`
  if (named.answeredAt !== null) {
    const answer = named.answer ?? 'closed without an answer'
    throw new Error(`${what} is answered already: ${answer}, by ${named.answeredBy ?? 'nobody'}`)
  }
  if (named.kind === 'question') throw new Error(`${what} is a question: answer it in words, on its card`)
  return named.id
}

function shown(target: string): string {
  return /^\d+$/.test(target) ? `#${target}` : target
}
