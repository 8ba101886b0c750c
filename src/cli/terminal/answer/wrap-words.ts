import type { styleText } from 'node:util'
import { widthOf } from '../progress/text-width.ts'

export type AnswerLook = NonNullable<Exclude<Parameters<typeof styleText>[0], readonly unknown[]>>

/** Text of one look. A line feed in it breaks the line. */
export interface AnswerPiece {
  readonly text: string
  readonly looks: readonly AnswerLook[]
}

/** How a word with these looks is written: with colours, or as it is. */
export type Paint = (text: string, looks: readonly AnswerLook[]) => string

/** Breaks pieces into lines at blanks. A word that is wider than the line has one of its own, and is not broken. */
export function wrapWords(pieces: readonly AnswerPiece[], columns: number, paint: Paint): string[] {
  const lines: string[] = []
  let line = { text: '', width: 0 }
  let word = { text: '', width: 0 }
  const endWord = () => {
    if (word.width === 0) return
    const gap = line.width === 0 ? 0 : 1
    if (gap && line.width + gap + word.width > columns) endLine()
    const blank = line.width === 0 ? '' : ' '
    line = { text: line.text + blank + word.text, width: line.width + blank.length + word.width }
    word = { text: '', width: 0 }
  }
  const endLine = () => {
    lines.push(line.text)
    line = { text: '', width: 0 }
  }
  for (const { text, looks } of pieces)
    for (const part of text.split(/( +|\n)/)) {
      if (part === '') continue
      if (part === '\n') {
        endWord()
        endLine()
      } else if (part.startsWith(' ')) endWord()
      else word = { text: word.text + paint(part, looks), width: word.width + widthOf(part) }
    }
  endWord()
  if (line.width > 0) endLine()
  return lines
}
