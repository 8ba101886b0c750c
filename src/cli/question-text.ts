import type { EventOf } from '../core/events.ts'
import { terminalLine, terminalText } from '../core/terminal-text.ts'

export type Question = EventOf<'approval.requested'>

const MAX_CHARS = 4_000
const MAX_LINES = 30

type Shown = Pick<Question, 'path' | 'title' | 'detail' | 'directory' | 'rule' | 'position' | 'of'>

/** A question as it stands on the terminal: who wants what, in which directory, and why it is asked. */
export function questionText({ path, title, detail, directory, rule, position, of }: Shown): string {
  const lines = [
    `⚑ ${questionLine(path.join(' > '))} needs you (${position} of ${of}): ${questionLine(title)}`,
    ...shortened(detail)
      .split('\n')
      .map((each) => `    ${each}`),
    `  in ${questionLine(directory)}`,
    `  because: ${questionLine(rule)}`,
  ]
  return `${lines.join('\n')}\n`
}

/** Something of a model on one line of a question: nothing in it is unseen, and of a long one it says so. */
export function questionLine(text: string): string {
  return middleCut([...visible(terminalLine(text))], 400, (left) => `[… ${left} characters …]`).join('')
}

/** Whoever answers has to know that there is more than is shown. */
function shortened(detail: string): string {
  const text = visible(terminalText(detail))
  const cut = middleCut([...text], MAX_CHARS, (left) => `\n[… ${left} characters are not shown …]\n`).join('')
  return middleCut(cut.split('\n'), MAX_LINES, (left) => `[… ${left} lines are not shown …]`).join('\n')
}

function middleCut(items: readonly string[], most: number, note: (left: number) => string): string[] {
  if (items.length <= most) return [...items]
  const head = Math.floor(most * 0.7)
  const tail = Math.floor(most * 0.3)
  return [...items.slice(0, head), note(items.length - head - tail), ...items.slice(-tail)]
}

/** What has no width, and marks piled on one cell, can make a command look like another one. */
function visible(text: string): string {
  return text.replace(UNSEEN, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`)
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}|(?<=\p{M}\p{M})\p{M}/gu
