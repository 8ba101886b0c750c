import { isVerbForm, stem, stemsIn, subwords } from './stem.ts'
import { foreignStems, framingWords, stopWords, synonyms, weakWords } from './vocabulary.ts'

/** One concept of a question. */
export interface Term {
  /** As written in the question. */
  readonly word: string
  /** Stems that mean it. */
  readonly stems: readonly string[]
  /** Stems of synonyms: a place that has one may be the answer, but never a confident one. */
  readonly others: readonly string[]
  /** An identifier, a path or a quoted text: also searched for literally. */
  readonly exact: string | null
  readonly weight: number
  /** Whether a place must cover it to be the whole answer. */
  readonly telling: boolean
  /** Whether it names a thing: if no code holds it, the code is about something else. */
  readonly thing: boolean
}

const MAX_TERMS = 6
const framingStems: ReadonlySet<string> = new Set([...framingWords].map(stem))
const weakStems: ReadonlySet<string> = new Set([...weakWords].map(stem))

/**
 * The terms of a question, weightiest first and at most six. Reads all of `text`, so the caller must bound it.
 * `question`: the text in which the words were adjacent, if another.
 */
export function termsOf(text: string, question = text): Term[] {
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
  const best = kept.toSorted((a, b) => b.weight - a.weight).slice(0, MAX_TERMS)
  const pairs = pairsIn(question)
  return best.map((term) => ({
    ...term,
    others: [
      ...term.others,
      ...pairs.flatMap(({ of, whole }) => (of.includes(term.stems[0]!) ? [whole] : [])),
    ],
  }))
}

/** Two words of a question are often one word in code: `rate limit`, `ratelimit`. */
function pairsIn(text: string): { readonly of: readonly string[]; readonly whole: string }[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  return words.slice(1).flatMap((word, i) => {
    const before = words[i]!
    const isPair = ![before, word].some((each) => each.length < 3 || stopWords.has(each))
    return isPair ? [{ of: [stem(before), stem(word)], whole: stem(before + word) }] : []
  })
}

/** Whether the words of a text match a term. */
export function namesTerm(words: ReadonlySet<string>, { stems }: Term): boolean {
  return stems.every((own) => words.has(own))
}

/** Whether they name it, or say it in other words. */
export function speaksOf(words: ReadonlySet<string>, term: Term): boolean {
  return namesTerm(words, term) || term.others.some((other) => words.has(other))
}

export function spokenIn(text: string, terms: readonly Term[]): Term[] {
  const words = new Set(stemsIn(text))
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
    : [{ word: exact, stems, others: [], exact, weight: 2.5, telling: true, thing: true }]
}

/** The key is no word of a program; what it does is. */
const CTRL_C = /\b(ctrl|control|strg)\s?[-+]\s?c\b/giu

function plainWords(text: string): Term[] {
  const found =
    text
      .normalize('NFC')
      .replace(/^\s*find\b/i, '')
      .replace(/\be-(?=\p{L})/giu, 'e')
      .replace(CTRL_C, 'interrupt')
      .replace(/\bregular expressions?\b/gi, 'regex')
      .match(/[\p{L}\p{M}\d_$]+(?:['’-][\p{L}\p{M}\d]+)*/gu) ?? []
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
  return before !== undefined && before.length > 2 && !stopWords.has(before) && !weakStems.has(stem(before))
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
  const isFraming = framingStems.has(own) || lower.endsWith('ly')
  const weight = weakStems.has(own)
    ? 0.5
    : isFraming
      ? 0.55
      : /^\p{Lu}{2,}\d*$|^\p{Lu}\p{Ll}+$/u.test(word)
        ? 1.2
        : 1
  const telling = weight > 0.5 && !isFraming
  return [
    {
      word,
      stems: [own],
      others: OTHERS.get(own) ?? [],
      exact: null,
      weight: lower.length < 3 ? weight * 0.6 : weight,
      telling,
      thing: telling && !isVerbForm(lower),
    },
  ]
}

const OTHERS = new Map(
  synonyms.flatMap((group) => {
    const stems = group.map(stem)
    return stems.map((own) => [own, stems.filter((other) => other !== own)] as const)
  }),
)

function translate(lower: string): string | undefined {
  return foreignStems.find(([from]) => lower.startsWith(from))?.[1]
}
