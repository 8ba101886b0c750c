import { createRequire } from 'node:module'
import { stripVTControlCharacters } from 'node:util'
import { once } from '../../../core/once.ts'
import type measureWidth from 'string-width'
import { terminalLine } from '../../../core/terminal-text.ts'

/**
 * Text of a model or a file as it may stand in a line that is drawn in place: nothing in it is a command, and nothing
 * has a width that terminals disagree about (joiners and variation selectors), or piles marks on one cell.
 */
export function drawable(text: string): string {
  if (isPlain(text)) return terminalLine(text)
  const { ignorable, piled } = tables()
  return terminalLine(text.replace(ignorable, '')).replace(piled, '')
}

/** Made with the first line that needs them: that takes milliseconds. */
const tables = once(() => ({
  ignorable: /(?!\p{Bidi_Control})\p{Default_Ignorable_Code_Point}/gu,
  piled: /(?<=\p{M}\p{M})\p{M}/gu,
}))

/** The beginning of a line that fits into so many columns, with an ellipsis where something is left out. */
export function cutToWidth(text: string, columns: number): string {
  const most = Math.max(1, columns)
  if (isPlain(text)) return text.length > most ? `${text.slice(0, most - 1)}…` : text
  let width = 0
  let fits = 0 // how much leaves room for the ellipsis
  for (const { segment, index } of graphemes(text)) {
    const end = index + segment.length
    width += widthOf(segment)
    // marks of no width are bounded too
    if (width > most || end > MAX_UNITS * most) return `${text.slice(0, fits)}…`
    if (width < most) fits = end
  }
  return text
}

/** UTF-16 code units of a column: an emoji with a modifier has four in two columns, a letter with two marks up to six. */
const MAX_UNITS = 8

/** Columns that a line takes. */
export function widthOf(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text)
}

/** Filled up with blanks to so many columns. */
export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** Rows that a drawn line takes on a terminal of so many columns: a wide character does not stand on an edge. */
export function terminalRows(line: string, columns: number): number {
  const text = stripVTControlCharacters(line)
  if (isPlain(text)) return Math.max(1, Math.ceil(text.length / columns))
  let rows = 1
  let column = 0
  for (const { segment } of graphemes(text)) {
    const width = widthOf(segment)
    if (column + width > columns) {
      rows++
      column = 0
    }
    column += width
  }
  return rows
}

/** Latin text, common punctuation, arrows, boxes and the marks of runs: each code unit takes one column, alone or not. */
const isPlain = (text: string) => PLAIN.test(text)

const PLAIN =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2298\u23f8\u2500-\u25fc\u2691\u2713\u2717\u29d7]*$/

/**
 * The package and the segmenter take a start as long as a tenth of all else (Node reads its tables of Unicode), and most
 * lines are plain: they are loaded with the first line that is not.
 */
function stringWidth(text: string): number {
  measure ??= (createRequire(import.meta.url)('string-width') as { default: typeof measureWidth }).default
  return measure(text)
}

let measure: typeof measureWidth | undefined

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

let segmenter: Intl.Segmenter | undefined
