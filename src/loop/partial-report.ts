import { joinedText } from '../core/report/answer-texts.ts'
import { afterWords } from './concluded-report.ts'
import type { Report, TurnText } from './ports.ts'

/**
 * The report of a run that has not concluded: the texts of its turns in order, marked as partial. `end`: the reason if
 * there is no text. `last`: what is wrong with the last text.
 */
export function partialReport(said: readonly TurnText[], end: string, last?: LastText): Report {
  const [first] = said
  const final = said.at(-1)
  if (!first || !final) return { messageId: null, text: '', note: `no text: ${end} without writing any` }
  const after = afterWords(first)
  return {
    messageId: final.messageId,
    partialFrom: first.messageId,
    text: joinedText(said),
    lastText: final.text,
    note: `partial: ${turnWords(said)}${after ? `, which ${after}` : ''}${lastWords(said, last)}`,
  }
}

/** `cut`: it is incomplete. `refusal`, `content_filter`: not an answer to the request. */
type LastText = 'cut' | keyof typeof WRONG

const WRONG = { refusal: 'a refusal', content_filter: 'filtered by the provider' } as const

function lastWords({ length }: readonly TurnText[], last: LastText | undefined): string {
  if (last === undefined) return ''
  if (last === 'cut') return ', cut off before its end'
  return length === 1 ? `, ${WRONG[last]}` : `; the last one is ${WRONG[last]}`
}

function turnWords(said: readonly TurnText[]): string {
  const turns = [...new Set(said.flatMap(({ turn }) => (turn === null ? [] : [turn])))]
  const earlier = said.filter(({ turn }) => turn === null).length
  if (earlier === 0) return rowWords(turns)
  const before = earlier === 1 ? 'the text of an earlier run' : `the ${earlier} texts of earlier runs`
  return turns.length === 0 ? before : `${before}, then ${rowWords(turns)}`
}

function rowWords(turns: readonly number[]): string {
  const [first, last] = [turns[0]!, turns.at(-1)!]
  if (turns.length === 1) return `the text of turn ${first}`
  if (turns.length === 2) return `the texts of turns ${first} and ${last}, in order`
  const isRow = last - first === turns.length - 1
  return `the texts of ${isRow ? 'turns' : `${turns.length} turns,`} ${first} to ${last}, in order`
}
