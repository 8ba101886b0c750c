import { terminalLine } from '../../../core/terminal-text.ts'
import { once } from '../../../core/once.ts'

/**
 * Text of a model or a file as it may stand in a line that is drawn in place: nothing in it is a command, and nothing
 * has a width that terminals disagree about (joiners and variation selectors), or piles marks on one cell.
 */
export function drawable(text: string): string {
  if (isNarrow(text)) return terminalLine(text)
  const { ignorable, piled } = tables()
  return terminalLine(text.replace(ignorable, '')).replace(piled, '')
}

/** ASCII, and the shapes that the program itself draws: each takes one column, and no table of Unicode is made for them. */
function isNarrow(text: string): boolean {
  return /^[\u0000-\u007f\u25a0-\u25fc]*$/.test(text)
}

/** A table takes milliseconds to make. */
const tables = once(() => ({
  ignorable: /(?!\p{Bidi_Control})\p{Default_Ignorable_Code_Point}/gu,
  piled: /(?<=\p{M}\p{M})\p{M}/gu,
  none: /\p{Mn}|\p{Me}|\p{Default_Ignorable_Code_Point}/u,
  wide: /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u,
}))

/** The beginning of a line that fits into so many columns, with an ellipsis where something is left out. */
export function cutToWidth(text: string, columns: number): string {
  const chars = [...text]
  const most = Math.max(1, columns)
  let width = 0
  let fits = 0 // how many characters leave room for the ellipsis
  for (const [at, char] of chars.entries()) {
    width += charWidth(char)
    if (width < most) fits = at + 1
    // marks of no width are bounded too
    if (width > most || at >= 4 * most) return `${chars.slice(0, fits).join('')}…`
  }
  return text
}

/** Columns that a line takes. */
export function widthOf(text: string): number {
  return [...text].reduce((sum, char) => sum + charWidth(char), 0)
}

/** Filled up with blanks to so many columns. */
export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** Rows that a drawn line takes on a terminal of so many columns: a wide character does not stand on an edge. */
export function rowsOf(line: string, columns: number): number {
  let rows = 1
  let column = 0
  for (const char of line.replace(COLOURS, '')) {
    const width = charWidth(char)
    if (column + width > columns) {
      rows++
      column = 0
    }
    column += width
  }
  return rows
}

const COLOURS = /\u001b\[\d+m/g

/** Columns of one character as terminals draw it (Unicode's East Asian Width). */
function charWidth(char: string): 0 | 1 | 2 {
  if (isNarrow(char)) return 1
  const { none, wide } = tables()
  if (none.test(char)) return 0
  return wide.test(char) ? 2 : 1
}
