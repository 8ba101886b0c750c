import { widthOf } from './progress/text-width.ts'

/** Columns that lines may take: those of a terminal. What is no terminal takes lines of any length. */
export function outputColumns({
  stdout,
}: {
  readonly stdout: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>
}): number {
  return stdout.isTTY ? stdout.columns || 80 : Infinity
}

/** More than this in front of a line is no indentation that the next lines can keep. */
const MOST_INDENT = 20

/**
 * Breaks a line at blanks. The next lines are indented further than it by `hang`. A word that is wider than a line is
 * broken too, but for one with an id: people copy that.
 */
export function hangingLines(line: string, columns: number, hang = 4): string[] {
  if (widthOf(line) <= columns) return [line]
  const indent = /^ */.exec(line)![0]
  const rest = ' '.repeat(Math.min(indent.length + hang, MOST_INDENT, Math.floor(columns / 2)))
  const lines: string[] = []
  let current = indent
  let isEmpty = true
  const words = line.slice(indent.length).match(/\S+ */g) ?? []
  for (const word of words.flatMap((each) => piecesOf(each, columns - rest.length))) {
    if (!isEmpty && widthOf((current + word).trimEnd()) > columns) {
      lines.push(current.trimEnd())
      current = rest
    }
    current += word
    isEmpty = false
  }
  return [...lines, current.trimEnd()]
}

const LEAST_BESIDE = 30

/** A text beside a head. Its further lines start below the text, or below the head where the text would be too narrow. */
export function besideLines(head: string, text: string, columns: number): string[] {
  const left = columns - widthOf(head)
  if (left < LEAST_BESIDE) return hangingLines(head + text, columns)
  const margin = ' '.repeat(widthOf(head))
  return hangingLines(text, left, 0).map((line, at) => (at === 0 ? head : margin) + line)
}

const WITH_ID = /[a-z]{3}_[0-9A-Z]{10}/

function piecesOf(word: string, columns: number): readonly string[] {
  if (widthOf(word.trimEnd()) <= columns || WITH_ID.test(word)) return [word]
  const pieces: string[] = []
  let piece = ''
  for (const char of word) {
    if (widthOf(piece + char) > columns) {
      pieces.push(piece)
      piece = ''
    }
    piece += char
  }
  return [...pieces, piece]
}

/** What stands before the facts of a row, on its first line and on the others. */
interface FactMargins {
  readonly first: string
  readonly rest: string
}

/** Facts side by side, broken between two of them where they do not fit, and at a blank where one alone does not. */
export function factLines(facts: readonly string[], columns: number, { first, rest }: FactMargins): string[] {
  const lines: string[] = []
  let current: string | undefined
  for (const fact of facts) {
    const joined: string = current === undefined ? `${first}${fact}` : `${current} · ${fact}`
    if (current !== undefined && widthOf(joined) > columns) {
      lines.push(current)
      current = `${rest}${fact}`
    } else current = joined
  }
  return [...lines, ...(current === undefined ? [] : [current])].flatMap((line) =>
    hangingLines(line, columns, 2),
  )
}
