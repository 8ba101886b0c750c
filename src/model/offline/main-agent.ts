import { angleLines, inSentence, wordsOf, writeAngle, type Angle } from './angle.ts'
import { CLOSING, readAnswer, writeAnswer, writeSection, type Section } from './answer.ts'
import type { PastCall, Transcript } from './prompt-transcript.ts'
import type { OfflineQuestion } from './question.ts'
import type { WantedCall } from './search-calls.ts'

const MAX_AROUND = 7

/** One `task` per new angle, to run in parallel. */
export function delegate(angles: readonly Angle[], transcript: Transcript): WantedCall[] {
  const asked = [transcript.question, ...transcript.steers].join(' ')
  const past = transcript.turns.flat().filter((call) => call.tool === 'task')
  return angles
    .filter((angle) => !past.some((task) => isTaskOf(angle, task)))
    .map((angle) => ({
      tool: 'task',
      input: { description: describe(angle), prompt: writeAngle(angle, asked), subagent_type: 'explore' },
    }))
}

/** The sentence before the tasks: what they look for. */
export function planText(tasks: readonly WantedCall[]): string {
  const agents =
    tasks.length === 1 ? 'One more subagent searches' : `${tasks.length} subagents search in parallel`
  return `${agents}: ${tasks.map((task) => task.input['description']).join('; ')}.`
}

/** Three to five words for people. */
function describe(angle: Angle): string {
  return [KIND_WORDS[angle.kind], ...wordsOf(angle).slice(0, 2)].join(' ').slice(0, 60)
}

const KIND_WORDS: Readonly<Record<Angle['kind'], string>> = {
  implementation: 'Find code for',
  tests: 'Find tests of',
  usage: 'Find uses of',
  docs: 'Find docs on',
  config: 'Find configuration of',
  overview: 'Read what it is',
  entry: 'Find where it starts',
  outline: 'Outline the code',
}

function isTaskOf(angle: Angle, task: PastCall): boolean {
  return textIn(task, 'prompt').endsWith(`\n${angleLines(angle)}`)
}

function textIn(task: PastCall, field: string): string {
  const value = task.input[field]
  return typeof value === 'string' ? value : ''
}

/** The call, or the subagent that it started. */
export function hasFailed(task: PastCall): boolean {
  return task.failed || /^<subagent_report [^>]*status="(failed|cancelled)/.test(task.output)
}

/** A message that only delivers a subagent's report, and asks for nothing. */
export function isReport(text: string): boolean {
  return /^\s*<subagent_report\b/.test(text)
}

/** The part of a report for the person: its citations. */
export function passOn(report: string): string {
  const { findings, around } = readAnswer(report, [])
  const section = { ...UNKNOWN, ...PLAIN, title: 'What it cites', findings: [...findings, ...around] }
  const cited = section.findings.length === 0 ? 'Its report cites no lines.' : writeSection(section)
  return [`A subagent has ended. ${cited}`, CLOSING].join('\n\n')
}

const UNKNOWN = { kind: 'implementation', about: [], asked: true, outcome: false } as const
const PLAIN = { sure: true, missing: [], astray: false } as const

/** The answer to the person. */
export function composeAnswer(question: OfflineQuestion, tasks: readonly PastCall[]): string {
  const reports = tasks.map((task) => {
    const angle = question.angles.find((candidate) => isTaskOf(candidate, task))
    const words = angle?.asked ? wordsOf(angle) : []
    return { section: sectionFor(angle, task), ...readAnswer(task.output, words) }
  })
  const sections = reports.map(({ section, findings, sure, missing, astray }) => ({
    ...section,
    findings: findings.slice(0, section.asked ? 8 : 4),
    sure,
    missing,
    astray: astray && missing.length > 0,
  }))
  const nothing = sections.every(({ findings }) => findings.length === 0)
  const around = nothing ? (reports.find((report) => report.around.length > 0)?.around ?? []) : []
  return [
    ...(question.intent === 'change' ? [CANNOT_CHANGE] : []),
    ...writeAnswer({
      sections: sections.toSorted((a, b) => Number(b.asked) - Number(a.asked)),
      failure: reports.find(({ failure }) => failure !== null)?.failure ?? null,
      around: around.slice(0, MAX_AROUND),
    }),
    ...trouble(tasks),
    CLOSING,
  ].join('\n\n')
}

function sectionFor(
  angle: Angle | undefined,
  task: PastCall,
): Omit<Section, 'findings' | 'sure' | 'missing' | 'astray'> {
  if (angle) {
    const { kind, asked, outcome } = angle
    return { kind, about: wordsOf(angle), asked, outcome }
  }
  return { ...UNKNOWN, title: inSentence(textIn(task, 'description')) || 'Further places' }
}

export const CANNOT_CHANGE =
  'I cannot write or change code: this is a rule-based search. A language model can (see the option -m). The work would start here.'

function trouble(tasks: readonly PastCall[]): string[] {
  const failed = tasks.filter(hasFailed).length
  return failed === 0
    ? []
    : [`${failed} of ${tasks.length} subagents did not finish, so this may be incomplete.`]
}
