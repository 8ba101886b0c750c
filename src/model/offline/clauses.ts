import type { AngleKind } from './angle.ts'

/** The asking sentences of a long text: a pasted log may end with one question. */
export function focus(text: string): string {
  if (text.length <= 600) return text
  const sentences = text.split(/(?<=[?!.。？])\s+|\n+/).map((sentence) => sentence.trim())
  const asking = sentences.filter((sentence) => /[?？]$/.test(sentence) && sentence.length < 400)
  const chosen = asking.length > 0 ? asking.slice(-4) : [...sentences.slice(0, 3), ...sentences.slice(-3)]
  return chosen.join('\n').slice(0, 2_000)
}

const ASKING =
  'where|which|what|how|who|when|why|is|are|does|do|show|find|list|explain|wo|welche[rsn]?|was|wie|wer|warum|où|quels?|quelles?|comment|dónde|cómo|qué|cuáles'

/** Sentences, and parts of a sentence that ask again: "where is X, and which tests cover it". */
export function splitClauses(text: string): string[] {
  const joint = new RegExp(
    `[?!;？。\\n]+|\\.\\s+|,?\\s+(?:and|und|et|y|also|then|plus|as well as|sowie)\\s+(?=(?:also\\s+)?(?:in\\s+|on\\s+)?(?:${ASKING})\\b)|,\\s*(?=(?:${ASKING})\\b)`,
    'iu',
  )
  const clauses = text.split(joint).map((clause) => clause.trim())
  return clauses
    .flatMap(splitTests)
    .filter((clause) => /[\p{L}\p{N}]/u.test(clause))
    .slice(0, 8)
}

/** "the parser and its tests" asks for two things. */
function splitTests(clause: string): string[] {
  const match =
    /^(.*\S)\s+(?:and|und|et|y|with)\s+((?:its|their|the|any|seine|ihre)?\s*(?:unit |integration )?(?:tests?|docs|documentation|config(?:uration)?))$/i.exec(
      clause,
    )
  return match && clauseKindOf(match[1]!) === 'implementation' ? [match[1]!, match[2]!] : [clause]
}

export function clauseKindOf(clause: string): AngleKind {
  if (TESTS.test(clause)) return 'tests'
  if (
    /\bdocument(ed|ation)\b|\b(the|its|their|any|which) (docs|readme|manual|guide)\b|^docs?\b/i.test(clause)
  )
    return 'docs'
  if (
    /\b(where|who|what) (else )?(is|are|uses?|calls?|imports?)\b.*\b(used|called|imported|invoked|referenced)\b|\bwho (calls|uses)\b|\bcallers? of\b|\busages? of\b|\bwhich (files?|modules?|functions?|parts?|places?)\b.*\b(uses?|calls?|imports?)\b/i.test(
      clause,
    )
  )
    return 'usage'
  if (/\bconfig(uration)? files?\b|\bin (the )?config(uration)?\b/i.test(clause)) return 'config'
  return 'implementation'
}

/** A "test runner" is not a test. */
const TESTS =
  /\btests\b|\btested\b|\bspecs?\b|\btesting\b|\btest(?=$|\W*$| (for|of|that|which|covers?|coverage|cases?|files?|suites?)\b)|\b(unit|integration|a|any|which) test\b|\btestet|测试|テスト/i

export function pointsBack(clause: string): boolean {
  return /\b(it|its|they|them|their|that|this|those|these|there|es|sie|das|dies|diese|ça|cela|ceux|eso|esto)\b/i.test(
    clause,
  )
}
