import { inSentence } from './angle.ts'
import { CLOSING, codeLines } from './answer.ts'
import { spokenIn, termsOf, weigh } from './term.ts'

const MAX_LINES = 12

/** What data beside a question holds of it: the lines that speak of most of its words, else the first ones. */
export function answerFromData(question: string, data: string): string {
  const terms = termsOf(question)
  const lines = data
    .split('\n')
    .map((text, at) => ({ line: at + 1, text, score: weigh(spokenIn(text, terms)) }))
  const best = lines
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_LINES)
    .toSorted((a, b) => a.line - b.line)
  const words = terms.map(({ word }) => inSentence(word)).join(', ')
  const first = lines.filter(({ text }) => text.trim() !== '').slice(0, MAX_LINES)
  const none = words === '' ? 'It begins with:' : `None of them mentions ${words}. It begins with:`
  return [
    `I searched the data from stdin (${lines.length === 1 ? '1 line' : `${lines.length} lines`}), and not the workspace.`,
    best.length > 0 ? `**Lines that mention ${words}**` : none,
    codeLines(best.length > 0 ? best : first).join('\n'),
    CLOSING,
  ].join('\n\n')
}
