import { terminalRows } from './text-width.ts'

/** Rows that stand above the cursor, as they were written. */
export interface Drawn {
  readonly rows: readonly string[]
  /** Of the terminal when they were written. */
  readonly columns: number
}

export interface Screen {
  readonly columns: number
  /** Whether a row that is wider than the terminal has become is broken into several. */
  readonly reflows: boolean
}

/**
 * What takes the terminal from one picture to the next with the fewest changes; '' where they are the same. The cursor
 * stands at the beginning of the line below the picture, before and after.
 */
export function repaint({ rows: old, columns }: Drawn, rows: readonly string[], screen: Screen): string {
  if (columns !== screen.columns) return replace({ rows: old, columns }, rows, screen)
  const first = old.findIndex((text, at) => text !== rows[at])
  const from = first < 0 ? old.length : first
  if (from === old.length && rows.length === old.length) return ''
  const changed = rows.slice(from).map((text, at) => (text === old[from + at] ? '\n' : lineOf(text)))
  return `${up(old.length - from)}${changed.join('')}${rows.length < old.length ? CLEAR_BELOW : ''}`
}

/**
 * Writes these rows in the place of a picture and takes away the rest of it, and what was typed below it. The top
 * row is written first: tmux keeps a screen that it is told to clear as a whole.
 */
export function replace({ rows: old, columns }: Drawn, rows: readonly string[], screen: Screen): string {
  const broken = screen.reflows && screen.columns < columns
  const height = broken ? old.reduce((sum, text) => sum + terminalRows(text, screen.columns), 0) : old.length
  return `${up(height)}${rows.map(lineOf).join('')}${CLEAR_BELOW}`
}

const CLEAR_BELOW = '\x1b[0J'

/** Cleared before it is written: a row that was broken in two would else remain one with the next. */
function lineOf(text: string): string {
  return `\x1b[0K${text}\n`
}

function up(rows: number): string {
  return rows > 0 ? `\r\x1b[${rows}A` : '\r'
}

/** Terminals that cut rows off instead, as far as their environment tells. */
export function reflows(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['TMUX']) return true
  return !env['XTERM_VERSION'] && !/^(linux|rxvt|screen)/.test(env['TERM'] ?? '')
}
