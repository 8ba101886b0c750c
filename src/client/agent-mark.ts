/** Drawn where an agent has no icon of its own. */
export const NO_MARK = '◆'

/** Longer graphemes are piles of marks, not pictures. Code units; a family of four has eleven. */
const MAX_UNITS = 14
const MAX_LETTERS = 2

/** One geometric shape: each of them is drawn, and none needs the tables below. The agents of the program have these. */
const SHAPE = /^[\u25a0-\u25ff]$/

/** Each table of Unicode takes milliseconds to make, the segmenter fifteen; most starts need none. */
const makeTables = () => ({
  /** What is no picture: control and bidirectional characters, lone surrogates, characters without a meaning. */
  notDrawn: /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]/u,
  /** Invisible by itself; between pictures a joiner and a selector make one of them. */
  invisible: /^[\p{Default_Ignorable_Code_Point}\p{M}\s]*$/u,
  piled: /\p{M}\p{M}/u,
  letter: /^[\p{L}\p{N}\p{P}\p{ASCII}]/u,
  graphemes: new Intl.Segmenter('en', { granularity: 'grapheme' }),
})
let tables: ReturnType<typeof makeTables> | undefined

/**
 * The icon of an agent as it is drawn: one picture, or two letters. Icons come from files of other people, and names of
 * pictures (`robot`) are in use too: what cannot be drawn in so little room is `NO_MARK`.
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
/** `\p{Cc}`, `\p{Zl}`, `\p{Zp}`, `\p{Cs}` and `\p{Bidi_Control}` written out, which needs no tables. */
const BREAKS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g
const TURNS = /[\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The title of an agent on one line, without what controls a screen or turns the direction of writing. */
export function agentTitle(title: string | null | undefined): string {
  const text = title?.slice(0, 1000).replace(BREAKS, ' ') ?? ''
  const plain = text.replace(TURNS, '').trim()
  return plain.length > MAX_TITLE ? `${[...plain].slice(0, MAX_TITLE - 1).join('')}…` : plain
}
