/** Drawn where an agent has no icon of its own. */
export const NO_MARK = '◆'

/** Longer graphemes are piles of marks, not pictures. Code units; a family of four has eleven. */
const MAX_UNITS = 14
const MAX_LETTERS = 2

/** What is no picture: control and bidirectional characters, lone surrogates, characters without a meaning. */
const NOT_DRAWN = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
/** Invisible by itself; between pictures a joiner and a selector make one of them. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{M}\s]*$/u
const PILED = /\p{M}\p{M}/u

const LETTER = /^[\p{L}\p{N}\p{P}\p{ASCII}]/u

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * The icon of an agent as it is drawn: one picture, or two letters. Icons come from files of other people, and names of
 * pictures (`robot`) are in use too: what cannot be drawn in so little room is `NO_MARK`.
 */
export function agentMark(icon: string | null | undefined): string {
  const text = icon?.slice(0, 100).trim() ?? ''
  if (NOT_DRAWN.test(text) || INVISIBLE.test(text)) return NO_MARK
  const parts = [...graphemes.segment(text)].map(({ segment }) => segment)
  const [first = ''] = parts
  if (first.length > MAX_UNITS || INVISIBLE.test(first) || PILED.test(first.replaceAll('\ufe0f', '')))
    return NO_MARK
  if (!LETTER.test(first)) return first
  return parts.length <= MAX_LETTERS && parts.every((each) => LETTER.test(each)) ? text : NO_MARK
}

const MAX_TITLE = 80

/** The title of an agent on one line, without what controls a screen or turns the direction of writing. */
export function agentTitle(title: string | null | undefined): string {
  const text = title?.slice(0, 1000).replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ') ?? ''
  const plain = text.replace(/[\p{Cs}\p{Bidi_Control}]/gu, '').trim()
  return plain.length > MAX_TITLE ? `${[...plain].slice(0, MAX_TITLE - 1).join('')}…` : plain
}
