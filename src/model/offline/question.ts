import { asksOutcome, frameOf, readAngle, type Angle, type AngleKind, type Frame } from './angle.ts'
import { focus, clauseKindOf, pointsBack, splitClauses } from './clauses.ts'
import { intentOf, type Intent } from './intent.ts'
import { scopeOf, withoutScope } from './question-scope.ts'
import { termsOf, type Term } from './term.ts'
import type { Transcript } from './prompt-transcript.ts'

export interface OfflineQuestion {
  readonly intent: Intent
  readonly angles: readonly Angle[]
  /** For a review: `Focus: security`. */
  readonly focus: string | null
}

const MAX_ANGLES = 4

/** The angles of a transcript: at least two if it asks for something searchable. */
export function readQuestion({ question, steers, earlier }: Transcript): OfflineQuestion {
  const text = [question, ...steers].join('\n')
  const labelled = readAngle(text)
  const focus = /^Focus:\s*(\w+)/im.exec(text)?.[1]?.toLowerCase() ?? null
  if (labelled) return { intent: 'search', angles: [labelled], focus }
  const intent = intentOf(text)
  if (intent !== 'search' && intent !== 'change') return { intent, angles: [], focus }
  return { intent, angles: anglesOf(withoutLabels(text), scopeOf(text), earlier), focus }
}

/** Labels of an agent's typed input: `Query: ...`. */
function withoutLabels(text: string): string {
  return text
    .replace(/^(focus|scope|constraints)\s*:.*$/gim, '')
    .replace(/^(query|task|target|question|prompt)\s*:/gim, '')
}

function anglesOf(text: string, scope: string | null, earlier: readonly string[]): Angle[] {
  const frame = frameOf(text, scope)
  const body = focus(text)
  const clauses = splitClauses(body)
  const overview: Angle[] =
    frame.scope === null
      ? [
          { kind: 'overview', terms: [], ...frame },
          { kind: 'entry', terms: [], ...frame },
        ]
      : [
          { kind: 'outline', terms: [], ...frame },
          { kind: 'overview', terms: [], ...frame, asked: false },
        ]
  if (strong(termsOf(body)).length === 0 && OVERVIEW.test(body)) return overview
  if (frame.scope !== null && strong(termsOf(withoutScope(body, frame.scope))).length === 0) return overview
  let subject: readonly Term[] =
    refersBack(body) || strong(termsOf(body)).length === 0 ? termsBefore(earlier) : []
  const angles: Angle[] = []
  for (const clause of clauses) {
    const kind = clauseKindOf(clause)
    const about = frame.scope === null ? clause : withoutScope(clause, frame.scope)
    const own = termsOf(about.replace(KIND_WORDS[kind] ?? /$^/, ' '))
    const terms = strong(own).length === 0 || pointsBack(clause) ? merge(own, subject) : own
    if (terms.length > 0) angles.push({ kind, terms, ...frame, outcome: asksOutcome(clause) })
    if (strong(terms).length > 0) subject = terms
  }
  return angles.length === 0 ? overview : complete(distinct(angles), frame).slice(0, MAX_ANGLES)
}

const OVERVIEW =
  /\b(project|repo(sitory)?|code ?base|package|library|program|app(lication)?|workspace|overview|summar(y|i[sz]e)|structured?|architecture|organi[sz]ed|projekt|projet|proyecto)\b/i

/** Angles worth a look although nobody asked for them. */
function complete(angles: readonly Angle[], frame: Frame): Angle[] {
  if (angles.length > 1) return [...angles]
  const [only] = angles
  if (!only) return []
  const more = (['implementation', 'tests', 'docs'] as const).filter((kind) => kind !== only.kind)
  return [only, ...more.slice(0, 2).map((kind) => ({ kind, terms: only.terms, ...frame, asked: false }))]
}

function distinct(angles: readonly Angle[]): Angle[] {
  const seen = new Set<string>()
  return angles.filter(({ kind, terms, outcome }) => {
    const key = `${kind} ${outcome} ${terms.map((term) => term.word).join(' ')}`
    return seen.has(key) ? false : (seen.add(key), true)
  })
}

/** Words that determined a clause's kind, and are not searched for. */
const KIND_WORDS: Partial<Record<AngleKind, RegExp>> = {
  tests: /\bverif(y|ied|ies)\b/gi,
  usage:
    /\b(calls?|called|callers?|uses?|used|users?|usages?|references?|referenced|imports?|imported|invokes?|invoked)\b/gi,
  config: /\bconfig(uration)?( files?)?\b/gi,
}

/** A short follow-up question: "and who calls it?", "why?". */
function refersBack(text: string): boolean {
  return text.length < 200 && pointsBack(text.split(/[?.!,]/)[0] ?? '') && strong(termsOf(text)).length < 2
}

function termsBefore(earlier: readonly string[]): readonly Term[] {
  for (const text of earlier) {
    const terms = termsOf(focus(text))
    if (strong(terms).length > 0) return terms
  }
  return []
}

function strong(terms: readonly Term[]): readonly Term[] {
  return terms.filter((term) => term.weight > 0.5)
}

function merge(own: readonly Term[], inherited: readonly Term[]): Term[] {
  const words = new Set(own.map((term) => term.word))
  return [...inherited.filter((term) => !words.has(term.word)), ...own].slice(0, 8)
}
