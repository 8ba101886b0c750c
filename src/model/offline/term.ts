import { stem, subwords } from './stem.ts'
import { foreignStems, framingWords, stopWords, weakWords } from './vocabulary.ts'

/** One concept of a question. */
export interface Term {
  /** As written in the question. */
  readonly word: string
  /** Stems that mean it. */
  readonly stems: readonly string[]
  /** An identifier, a path or a quoted text: also searched for literally. */
  readonly exact: string | null
  readonly weight: number
  /** Whether it names something: if no code contains it, the code is about something else. */
  readonly telling: boolean
}

const MAX_TERMS = 6
const framingStems: ReadonlySet<string> = new Set([...framingWords].map(stem))

/** The terms of a question, weightiest first and at most six. Reads all of `text`, so the caller must bound it. */
export function termsOf(text: string): Term[] {
  const terms = new Map<string, Term>()
  for (const term of [...literals(text), ...plainWords(text)]) {
    const key = term.stems.join(' ')
    const known = terms.get(key)
    if (!known || known.weight < term.weight) terms.set(key, term)
  }
  const covered = new Set(
    [...terms.values()].filter((term) => term.exact).flatMap((term) => subwords(term.exact!).map(stem)),
  )
  const kept = [...terms.values()].filter((term) => term.exact !== null || !covered.has(term.stems[0]!))
  return kept.toSorted((a, b) => b.weight - a.weight).slice(0, MAX_TERMS)
}

/** Whether the words of a text match a term. */
export function speaksOf(words: ReadonlySet<string>, { stems }: Term): boolean {
  return stems.every((own) => words.has(own))
}

export function spokenIn(text: string, terms: readonly Term[]): Term[] {
  const words = new Set(subwords(text).map(stem))
  return terms.filter((term) => speaksOf(words, term))
}

export function weigh(terms: Iterable<Term>): number {
  let sum = 0
  for (const { weight } of terms) sum += weight
  return sum
}

/** Quoted texts, identifiers, paths and file names. */
function literals(text: string): Term[] {
  const quoted = [...text.matchAll(/`([^`\n]{2,80})`|"([^"\n]{2,80})"|“([^”\n]{2,80})”/g)].map(
    (m) => m[1] ?? m[2] ?? m[3]!,
  )
  const identifiers =
    text.match(/[@$#.]?[\p{L}_$][\p{L}\d_$]*(?:(?:[./:-]|::|->)[\p{L}\d_$]+)*(?:\(\))?/gu) ?? []
  return [...quoted, ...identifiers.filter(looksLikeCode)].flatMap((found) => literal(found.trim()))
}

function looksLikeCode(token: string): boolean {
  if (/^(e\.g|i\.e|etc|and\/or)$/i.test(token)) return false
  return /[a-z]\p{Lu}|_|::|->|\(\)|^[@$#]|[\p{L}\d]\.[\p{L}\d]|\/|[a-z]\d/u.test(token)
}

function literal(token: string): Term[] {
  const exact = token.replace(/\(\)$/, '')
  const stems = [
    ...new Set(
      subwords(exact)
        .filter((word) => word.length > 1 || /\d/.test(word))
        .map(stem),
    ),
  ]
  return stems.length === 0 || exact.length < 2
    ? []
    : [{ word: exact, stems, exact, weight: 2.5, telling: true }]
}

function plainWords(text: string): Term[] {
  const found = text.normalize('NFC').match(/[\p{L}\p{M}\d_$]+(?:['’-][\p{L}\p{M}\d]+)*/gu) ?? []
  const words = found.flatMap((word) => word.split(/[-’']/))
  return words
    .flatMap(inEnglish)
    .flatMap((word, i) =>
      plainWord(word).map((term) => (isHead(words, i) ? { ...term, weight: term.weight * 0.8 } : term)),
    )
}

/** The second noun of a pair is less significant than the first: `email address`, `rate limit`. */
function isHead(words: readonly string[], i: number): boolean {
  const before = words[i - 1]?.toLowerCase()
  return before !== undefined && before.length > 2 && !stopWords.has(before) && !weakWords.has(before)
}

/** A word in a script without spaces may contain several known words. */
function inEnglish(word: string): string[] {
  if (!/[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}]/u.test(word)) return [word]
  const known = foreignStems.flatMap(([from, to]) => (word.includes(from) ? [to] : []))
  return known.length > 0 ? [...known, ...(word.match(/[A-Za-z]\w+/g) ?? [])] : [word]
}

function plainWord(word: string): Term[] {
  const lower = word.toLowerCase()
  if (
    looksLikeCode(word) ||
    stopWords.has(lower) ||
    lower.length < 2 ||
    /^\d{1,2}$/.test(lower) ||
    lower.length > 60
  )
    return []
  const english = translate(lower)
  const base = english ?? lower
  if (stopWords.has(base)) return []
  const own = stem(base)
  const weight = weakWords.has(base) ? 0.5 : /^\p{Lu}{2,}\d*$|^\p{Lu}\p{Ll}+$/u.test(word) ? 1.2 : 1
  return [
    {
      word,
      stems: [own],
      exact: null,
      weight: lower.length < 3 ? weight * 0.6 : weight,
      telling: weight > 0.5 && !framingStems.has(own),
    },
  ]
}

function translate(lower: string): string | undefined {
  return foreignStems.find(([from]) => lower.startsWith(from))?.[1]
}
