import { scopeOf } from './question-scope.ts'
import { termsOf, type Term } from './term.ts'

/** One thing to look for, in one kind of file. */
export type AngleKind =
  | 'implementation'
  | 'tests'
  | 'usage'
  | 'docs'
  | 'config'
  | 'overview'
  | 'entry'
  | 'outline'

export interface Angle {
  readonly kind: AngleKind
  /** What it looks for, in a few words of the question; never something that could be taken for a citation. */
  readonly title: string
  readonly terms: readonly Term[]
  /** Folder, file or null for everything. */
  readonly scope: string | null
  /** Whether the question asked for it, or it is only worth a look. */
  readonly asked: boolean
  /** The beginning of the question, in lower case. */
  readonly echo: string
}

/** An angle as the task of a subagent; `readAngle` reads it back. */
export function writeAngle(angle: Angle, question: string): string {
  const first = 'Search this workspace and report what you find with paths and lines.'
  return `${first}\nQuestion: ${oneLine(question, 400)}\n${angleLines(angle)}`
}

/** The part of the task that tells one angle from another. */
export function angleLines(angle: Angle): string {
  const terms = angle.terms.map((term) => (term.exact === null ? term.word : `"${term.word}"`)).join(', ')
  const lines = [
    `Angle: ${angle.kind}${angle.asked ? '' : NOT_ASKED}`,
    ...(terms === '' ? [] : [`Terms: ${terms}`]),
    ...(angle.scope === null ? [] : [`Scope: ${angle.scope}`]),
  ]
  return lines.join('\n')
}

const NOT_ASKED = ', only a look'

/** The angle that a task of ours names; null for any other text. */
export function readAngle(text: string): Angle | null {
  const [, kind, more] = /^Angle: (\w+)(, only a look)?$/m.exec(text) ?? []
  if (kind === undefined || !Object.hasOwn(ANGLE_TITLES, kind)) return null
  const terms = termsOf(/^Terms: (.*)$/m.exec(text)?.[1] ?? '')
  const asked = /^Question: (.*)$/m.exec(text)?.[1] ?? ''
  return angle(kind as AngleKind, terms, {
    scope: scopeOf(text),
    asked: more === undefined,
    echo: echoOf(asked),
  })
}

const ANGLE_TITLES: Readonly<Record<AngleKind, string>> = {
  implementation: 'Where it is done',
  tests: 'Tests',
  usage: 'Where it is used',
  docs: 'Documentation',
  config: 'Configuration',
  overview: 'What it is',
  entry: 'Where it begins',
  outline: 'What is in it',
}

export type Frame = Pick<Angle, 'scope' | 'asked' | 'echo'>

export function angle(kind: AngleKind, terms: readonly Term[], frame: Frame, clause = ''): Angle {
  const words = plainTitle(clause)
  if (words.length >= 8 && words.length <= 90) return { kind, title: words, terms, ...frame }
  const about = terms
    .slice(0, 4)
    .map((term) => term.word.replace(/[`:*]/g, ' ').trim())
    .join(', ')
  return {
    kind,
    title: about === '' ? ANGLE_TITLES[kind] : `${ANGLE_TITLES[kind]}: ${about}`,
    terms,
    ...frame,
  }
}

/** A clause of the question as a heading: nothing in it may be taken for a citation or for Markdown. */
function plainTitle(clause: string): string {
  const words = clause.replace(/[`*:_#<>[\]\s\p{C}]+/gu, ' ').trim()
  return words.replace(/^\p{Ll}(?=\p{Ll}*(?:\s|$))/u, (first) => first.toUpperCase())
}

export function echoOf(question: string): string {
  const start = question.trim().toLowerCase().slice(0, 28)
  return start.length < 20 ? '' : start
}

function oneLine(text: string, max: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, max)
}
