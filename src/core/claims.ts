/** Characters of a report that are checked. */
const MAX_CHARS = 100_000
/** Most claims to find. */
const MAX_CLAIMS = 50

/**
 * The files that a report claims its author changed, as it names them. Prefers to miss claims: plans, advice, negations
 * and statements about others are not claims. Linear in the length of the text.
 */
export function claimedChanges(report: string): string[] {
  const claims = new Set<string>()
  const reading: Reading = { introduced: false, fenced: false }
  for (const line of report.slice(0, MAX_CHARS).split('\n')) {
    for (const path of claimsOfLine(line.trim(), reading)) claims.add(path)
    if (claims.size >= MAX_CLAIMS) break
  }
  return [...claims].slice(0, MAX_CLAIMS)
}

/** Whether two paths may name the same file: one may start in a parent directory of the other. */
export function mayBeSameFile(a: string, b: string): boolean {
  const [one, other] = [plainPath(a), plainPath(b)]
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`)
}

interface Reading {
  /** A line that announces a list of changes. */
  introduced: boolean
  fenced: boolean
}

function claimsOfLine(line: string, reading: Reading): string[] {
  if (/^(```|~~~)/.test(line)) {
    if (reading.fenced) reading.introduced = false
    reading.fenced = !reading.fenced
    return []
  }
  if (reading.fenced) return reading.introduced ? diffTarget(line) : []
  if (line === '') return []
  if (isIntroduction(line)) {
    reading.introduced = true
    return []
  }
  const isItem = /^([-*+•]|\d{1,3}[.)])\s/.test(line)
  const listed = reading.introduced && isItem && !HEDGED.test(line) ? pathsIn(line).slice(0, 1) : []
  if (!isItem) reading.introduced = false
  return [...listed.map(({ path }) => path), ...sentencesOf(line).flatMap(claimsOfSentence)]
}

/** `+++ b/src/x.ts`: in a diff of claimed changes. */
function diffTarget(line: string): string[] {
  const name = /^\+\+\+ (?:b\/)?(\S{1,300})/.exec(line)?.[1]
  return name && isPath(name) ? [name] : []
}

const VERB =
  '(?:changed|modified|edited|updated|created|added|wrote|written|rewrote|rewritten|fixed|patched|refactored|renamed|removed|deleted|replaced|implemented|inserted|applied|corrected|adjusted|extended)'
const MADE = `(?:files? (?:i (?:have )?)?${VERB}|(?:changed|modified|edited|updated|created|deleted) files?|changes (?:i (?:have )?)?(?:made|applied)|(?:made|applied) (?:the following|these) (?:changes|edits|fixes|patch(?:es)?|diff))`
const INTRODUCTION = new RegExp(`^[#*_\\s]*(?:\\p{L}+[ ,]+){0,4}${MADE}\\b.{0,60}$`, 'iu')

function isIntroduction(line: string): boolean {
  return line.length < 200 && /^#|[:*_]$/.test(line) && INTRODUCTION.test(line) && !HEDGED.test(line)
}

/** Words that mean the sentence is not about its author's work. */
const HEDGED =
  /\b(?:not|never|no|none|nothing|without|would|could|should|shall|will|must|may|might|can|cannot|needs?|to be|plan(?:ned|s)?|propos\w+|suggest\w*|recommend\w*|if|unless|previous(?:ly)?|originally|commit\w*|version|releases?d?|upstream|by|ago|last|git|history|pull|merged?|you|your|they|someone|who|when|whether|failed|unable|tried|attempt\w*)\b|n['’]t\b/i

function sentencesOf(line: string): string[] {
  return line
    .replace(/\bhttps?:\/\/\S+/g, ' ')
    .split(/(?<=[.!?;])\s+/)
    .filter((sentence) => sentence.length < 2_000)
}

const ADVERB =
  '(?:(?:have|also|then|now|just|successfully|carefully|further|first|finally|directly|again)\\s+)'
/** `I have also fixed`, or a sentence that starts with `Fixed`. */
const BY_ME = new RegExp(`\\b(?:i|we)(?:['’]ve)?\\s+${ADVERB}{0,3}${VERB}(?![-\\w])`, 'i')
const BEGINS = new RegExp(`^[^\\p{L}\`]*(?:done[:,]?\\s+)?${ADVERB}{0,2}${VERB}(?![-\\w])`, 'iu')
/** After a path that is the subject of the sentence. */
const PASSIVE = new RegExp(
  `^[\`*_'")]*\\s+(?:was|were|has been|have been|is now)\\s+${ADVERB}{0,2}${VERB}(?![-\\w])`,
  'i',
)
/** Between the verb and a path: the path is not what was changed. */
const ASIDE =
  /\b(?:for|like|with|using|as|per|after|against|matching|via|since|because|that|which|where|see|so|from now|based|covering|test(?:s|ing)? of)\b/i
const JOINED = /^[`*_'"):\d\s-]*(?:,|and|&|, and)?[`*_'"(\s]*$/i

function claimsOfSentence(sentence: string): string[] {
  const paths = pathsIn(sentence)
  if (paths.length === 0) return []
  const passive = paths.filter(({ end, start }) => {
    const rest = sentence.slice(end, end + 120)
    return PASSIVE.test(rest) && !HEDGED.test(sentence.slice(0, start)) && !HEDGED.test(rest)
  })
  return [...passive, ...objectsOf(sentence, paths)].map(({ path }) => path)
}

/** The paths that the verb of a claim applies to: the first one after it, and those joined to it. */
function objectsOf(sentence: string, paths: readonly Named[]): readonly Named[] {
  const verb = BY_ME.exec(sentence) ?? BEGINS.exec(sentence)
  if (!verb) return []
  const from = verb.index + verb[0].length
  const behind = paths.filter(({ start }) => start >= from)
  const first = behind[0]
  if (!first) return []
  const between = sentence.slice(from, first.start)
  if (between.length > 120 || ASIDE.test(between) || HEDGED.test(sentence.slice(0, first.start))) return []
  const end = behind.findIndex(
    (each, i) => i > 0 && !JOINED.test(sentence.slice(behind[i - 1]!.end, each.start)),
  )
  return end < 0 ? behind : behind.slice(0, end)
}

interface Named {
  readonly path: string
  readonly start: number
  readonly end: number
}

function pathsIn(text: string): Named[] {
  return [...text.matchAll(/[^\s`'"()<>[\]{},;*|]+/g)].flatMap(({ 0: token, index }) => {
    const path = token.replace(/[.:!?]+$/, '').replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, '')
    return isPath(path) ? [{ path, start: index, end: index + path.length }] : []
  })
}

const EXTENSIONS =
  /\.(?:[cm]?[jt]sx?|json[c5]?|mdx?|txt|py|rb|go|rs|java|kts?|swift|[ch](?:pp|c|xx)?|hpp|cs|php|sh|bash|zsh|ya?ml|toml|ini|cfg|conf|env|html?|s?css|less|vue|svelte|sql|xml|svg|lock|gradle|proto|graphql|ipynb|ex|exs|lua|pl|dart|scala|csv)$/i

/** A name with a known extension, or a path with any extension; `Node.js` is a program. */
function isPath(token: string): boolean {
  if (token.length > 300 || !/^[\w@.+\-/\\~:]+$/.test(token) || token.includes('//')) return false
  if (/^[A-Z][A-Za-z]*\.js$/.test(token)) return false
  if (EXTENSIONS.test(token)) return /[\w)]\.\w+$/.test(token)
  return /[/\\]/.test(token) && /[/\\][\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9}$/.test(token)
}

function plainPath(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(/^(?:\.{0,2}\/)+/, '')
    .toLowerCase()
}
