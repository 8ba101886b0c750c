import { scopeOf } from './question-scope.ts'
import { termsOf, type Term } from './term.ts'

/** One search topic in one kind of file. */
const KINDS = ['implementation', 'tests', 'usage', 'docs', 'config', 'overview', 'entry', 'outline'] as const

export type AngleKind = (typeof KINDS)[number]

export interface Angle {
  readonly kind: AngleKind
  readonly terms: readonly Term[]
  /** Folder or file; null: everything. */
  readonly scope: string | null
  /** Whether the question asked for it; otherwise it is only a quick look. */
  readonly asked: boolean
  /** Whether the question asks what happens in some case: then lines that fail are relevant. */
  readonly outcome: boolean
}

/** An angle as the task of a subagent; `readAngle` parses it. */
export function writeAngle(angle: Angle, question: string): string {
  const first = 'Search this workspace and report what you find with paths and lines.'
  return `${first}\nQuestion: ${oneLine(question, 400)}\n${angleLines(angle)}`
}

/** The part of the task that identifies an angle. */
export function angleLines(angle: Angle): string {
  const terms = angle.terms.map((term) => (term.exact === null ? term.word : `"${term.word}"`)).join(', ')
  const lines = [
    `Angle: ${angle.kind}${angle.outcome ? OUTCOME_TOO : ''}${angle.asked ? '' : NOT_ASKED}`,
    ...(terms === '' ? [] : [`Terms: ${terms}`]),
    ...(angle.scope === null ? [] : [`Scope: ${angle.scope}`]),
  ]
  return lines.join('\n')
}

const OUTCOME_TOO = ', what happens'
const NOT_ASKED = ', only a look'

/** The angle in one of our tasks; null for any other text. */
export function readAngle(text: string): Angle | null {
  const [, kind, outcome, more] = /^Angle: (\w+)(, what happens)?(, only a look)?$/m.exec(text) ?? []
  if (kind === undefined || !isKind(kind)) return null
  const asked = /^Question: (.*)$/m.exec(text)?.[1] ?? ''
  const terms = termsOf(/^Terms: (.*)$/m.exec(text)?.[1] ?? '', asked)
  return { kind, terms, ...frameOf(asked, scopeOf(text), more === undefined), outcome: outcome !== undefined }
}

export type Frame = Pick<Angle, 'scope' | 'asked' | 'outcome'>

function isKind(word: string): word is AngleKind {
  return (KINDS as readonly string[]).includes(word)
}

export function wordsOf({ terms }: Angle): string[] {
  return terms.map(({ word }) => inSentence(word))
}

/** A word of a question within our own sentence: it cannot look like a citation or Markdown. */
export function inSentence(word: string): string {
  return word.replace(/[`*:_#<>[\]\s\p{C}]+/gu, ' ').trim()
}

export function frameOf(question: string, scope: string | null, asked = true): Frame {
  return { scope, asked, outcome: asksOutcome(question) }
}

export function asksOutcome(question: string): boolean {
  return OUTCOME.test(question)
}

const OUTCOME =
  /\bwhat (happens|if|occurs|goes wrong)\b|\bwas (passiert|geschieht)\b|\bwhat does .* (do|say|return) (when|if|on)\b/i

function oneLine(text: string, max: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, max)
}
