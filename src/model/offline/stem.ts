import { abbreviations } from './vocabulary.ts'

const SUFFIXES = [
  'ations', 'ation', 'ators', 'ator', 'ating',
  'ated', 'ates', 'ate', 'ities', 'ity', 'ments', 'ment', 'ions', 'ion', 'ings', 'ing', 'able', 'ible', 'ages', 'age',
  'ers', 'er', 'ors', 'or', 'ies', 'ied', 'ie', 'ed', 'es', 'ly', 's', 'e', 'y',
] // prettier-ignore

/** Words whose ending is not a suffix. */
const WHOLE = new Set(
  'settings string strings during author authors error errors version status process class cors https'.split(
    ' ',
  ),
)

/** What may follow a stem in a word. */
export const ENDINGS: readonly string[] = [...SUFFIXES, 'd', 'r', 'rs']

const SHORTEST = 4

/** Verbs whose forms have no common stem. */
const IRREGULAR = new Map(
  `chosen choose, chose choose, sent send, built build, wrote write, written write, thrown throw, threw throw, drawn draw,
  drew draw, ran run, broken break, broke break, kept keep, held hold, hid hide, hidden hide, bound bind, frozen freeze,
  lost lose, caught catch, shown show, forgotten forget, began begin, begun begin, found find, rewound rewind, overridden override, taken take, given give, left leave, told tell, spent spend, grown grow, grew grow`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
)

const BRITISH_OUR = /^(behavi|col|fav|flav|hon|neighb)our/
/** Too short to lose a suffix: `timed`, `saving`; `added`, `asking`. */
const SHORT_VERB = /^([^aeiou]?[aeiou][^aeiouwxy])(?:ed|ing)$/
const SHORT_PAIR = /^([aeiou][^aeiou]{2})(?:ed|ing)$/
const BRITISH_ISE = /^(\w{4,})is(e|ed|es|er|ing|ation)$/

const FULL = new Map([
  ...abbreviations,
  ...abbreviations.map(([short, full]) => [`${short}s`, full] as const),
])
const SHORT = Map.groupBy(abbreviations, ([, full]) => stem(full))

/** Stems and their abbreviations in programs. */
export function spellingsOf(of: string): string[] {
  return [of, ...(SHORT.get(of)?.map(([short]) => short) ?? [])]
}

/** `choose` for `chosen`, `time` for `timed`, American spelling for British; any other word unchanged. */
function infinitive(lower: string): string {
  const american = lower.replace(BRITISH_OUR, '$1or').replace(BRITISH_ISE, '$1iz$2')
  return IRREGULAR.get(lower) ?? american.replace(SHORT_VERB, '$1e').replace(SHORT_PAIR, '$1')
}

/** Whether a word looks like a verb form: a past or an -ing form. */
export function isVerbForm(word: string): boolean {
  return IRREGULAR.has(word) || /\w{2}(ed|ing)$/.test(word)
}

/**
 * A rough English stem in lower case, so that `permissions` and `permission`, `decides` and `decided`, `router` and
 * `routing` are one term. It may join too much; ranking corrects that.
 */
export function stem(word: string): string {
  const lower = FULL.get(word.toLowerCase()) ?? infinitive(word.toLowerCase())
  if (WHOLE.has(lower)) return lower.replace(/(?<=[^s])s$/, '')
  for (const suffix of SUFFIXES) {
    if (!lower.endsWith(suffix) || (suffix === 's' && lower.endsWith('ss'))) continue
    const rest = lower.slice(0, -suffix.length)
    if (rest.length >= SHORTEST || (suffix === 's' && rest.length >= 3)) return undouble(rest)
  }
  return undouble(lower)
}

/** The parts of identifiers and words: `checkPermissions_v2` has `check`, `Permissions`, `v`, `2`. */
export function subwords(text: string): string[] {
  return text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\d+/gu) ?? []
}

/** The stems of a text's words, and of pairs within an identifier as one word (`git_ignore`). */
export function stemsIn(text: string): string[] {
  const whole = text.match(/[\p{L}_$][\p{L}\d_$]*/gu) ?? []
  const pairs = whole.flatMap((word) => {
    const parts = subwords(word)
    return parts.slice(1).map((part, i) => stem(parts[i]! + part))
  })
  return [...subwords(text).map(stem), ...pairs]
}

/** `logg` (of `logging`) becomes `log`; a long word that ends in `ll` gets one `l`, with or without a suffix. */
function undouble(rest: string): string {
  if (/([bdgmnprt])\1$/.test(rest)) return rest.slice(0, -1)
  return rest.length > 5 && rest.endsWith('ll') ? rest.slice(0, -1) : rest
}
