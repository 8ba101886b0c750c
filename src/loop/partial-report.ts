import { joinedText } from '../core/report/answer-texts.ts'
import type { Report, TurnText } from './ports.ts'

/**
 * The report of a run that has not concluded: the texts of its turns in their order, marked as partial. `end` says how it
 * came to that, where there is none. `isCut`: the last of them has no end.
 */
export function partialReport(said: readonly TurnText[], end: string, isCut = false): Report {
  const [first] = said
  const last = said.at(-1)
  if (!first || !last) return { messageId: null, text: '', note: `no text: ${end} without writing any` }
  return {
    messageId: last.messageId,
    partialFrom: first.messageId,
    text: joinedText(said),
    lastText: last.text,
    note: `partial: ${turnWords(said)}${isCut ? ', cut off before its end' : ''}`,
  }
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
