/** Shown for an agent without a usable icon. */
export const NO_MARK = '◆'

/** Longer graphemes are stacks of combining marks, not pictures. Code units; a family emoji of four has eleven. */
const MAX_UNITS = 14
const MAX_LETTERS = 2

/** A single geometric shape: always drawable, and checked without the tables below. The built-in agents use these. */
const SHAPE = /^[\u25a0-\u25ff]$/

/** Each Unicode table takes milliseconds to create, the segmenter fifteen; most starts need none. */
const makeTables = () => ({
  /** Characters that are no picture: control and bidirectional characters, lone surrogates, unassigned characters. */
  notDrawn: /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]/u,
  /** Invisible alone; a joiner and a selector can combine pictures. */
  invisible: /^[\p{Default_Ignorable_Code_Point}\p{M}\s]*$/u,
  piled: /\p{M}\p{M}/u,
  letter: /^[\p{L}\p{N}\p{P}\p{ASCII}]/u,
  graphemes: new Intl.Segmenter('en', { granularity: 'grapheme' }),
})
let tables: ReturnType<typeof makeTables> | undefined

/**
 * The icon of an agent as drawn: one picture or two letters. Icons come from foreign files, and picture names (`robot`)
 * occur too: anything undrawable becomes `NO_MARK`.
 */
export function agentMark(icon: string | null | undefined): string {
  const text = icon?.slice(0, 100).trim() ?? ''
  if (text === '') return NO_MARK
  return SHAPE.test(text) ? text : markOf(text)
}

function markOf(text: string): string {
  const { notDrawn, invisible, piled, letter, graphemes } = (tables ??= makeTables())
  if (notDrawn.test(text) || invisible.test(text)) return NO_MARK
  const parts = [...graphemes.segment(text)].map(({ segment }) => segment)
  const [first = ''] = parts
  if (first.length > MAX_UNITS || invisible.test(first) || piled.test(first.replaceAll('\ufe0f', '')))
    return NO_MARK
  if (!letter.test(first)) return first
  return parts.length <= MAX_LETTERS && parts.every((each) => letter.test(each)) ? text : NO_MARK
}

const MAX_TITLE = 80
/** `\p{Cc}`, `\p{Zl}`, `\p{Zp}`, `\p{Cs}` and `\p{Bidi_Control}` spelled out, without tables. */
const BREAKS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g
const TURNS = /[\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The title of an agent on one line, without control or bidirectional characters. */
export function agentTitle(title: string | null | undefined): string {
  const text = title?.slice(0, 1000).replace(BREAKS, ' ') ?? ''
  const plain = text.replace(TURNS, '').trim()
  return plain.length > MAX_TITLE ? `${[...plain].slice(0, MAX_TITLE - 1).join('')}…` : plain
}
