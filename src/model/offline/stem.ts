const SUFFIXES = [
  'ations', 'ation', 'ators', 'ator', 'ating',
  'ated', 'ates', 'ate', 'ities', 'ity', 'ments', 'ment', 'ions', 'ion', 'ings', 'ing', 'able', 'ible', 'ages', 'age',
  'ers', 'er', 'ors', 'or', 'ies', 'ied', 'ie', 'ed', 'es', 'ly', 's', 'e', 'y',
] // prettier-ignore

/** Words whose ending is no suffix. */
const WHOLE = new Set([
  'settings',
  'string',
  'strings',
  'during',
  'author',
  'authors',
  'error',
  'errors',
  'version',
  'status',
  'process',
  'class',
  'cors',
  'https',
])

const SHORTEST = 4

/**
 * A rough English stem, in lower case, so that `permissions` and `permission`, `decides` and `decided`, `router` and
 * `routing` are one term. It may join too much; ranking sorts that out.
 */
export function stem(word: string): string {
  const lower = word.toLowerCase()
  if (WHOLE.has(lower)) return lower.replace(/(?<=[^s])s$/, '')
  for (const suffix of SUFFIXES) {
    if (!lower.endsWith(suffix) || (suffix === 's' && lower.endsWith('ss'))) continue
    const rest = lower.slice(0, -suffix.length)
    if (rest.length >= SHORTEST || (suffix === 's' && rest.length >= 3)) return undouble(rest)
  }
  return undouble(lower)
}

/** The parts of the identifiers and words of a text: `checkPermissions_v2` has `check`, `Permissions`, `v`, `2`. */
export function subwords(text: string): string[] {
  return text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\d+/gu) ?? []
}

/** `logg` (of `logging`) is `log`; a long word with `ll` at its end has one `l`, whether or not it had a suffix. */
function undouble(rest: string): string {
  if (/([bdgmnprt])\1$/.test(rest)) return rest.slice(0, -1)
  return rest.length > 5 && rest.endsWith('ll') ? rest.slice(0, -1) : rest
}
