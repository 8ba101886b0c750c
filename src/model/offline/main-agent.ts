import { angleLines, inSentence, wordsOf, writeAngle, type Angle } from './angle.ts'
import { CLOSING, readAnswer, sectionOf, writeAnswer, writeSection } from './answer.ts'
import type { PastCall, Transcript } from './prompt-transcript.ts'
import type { OfflineQuestion } from './question.ts'
import type { WantedCall } from './search-calls.ts'

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
  const { findings, around, ...found } = readAnswer(report, [])
  const cited = {
    ...sectionOf(UNKNOWN, { ...found, findings: [...findings, ...around] }),
    title: 'What it cites',
  }
  const text = cited.findings.length === 0 ? 'Its report cites no lines.' : writeSection(cited)
  return [`A subagent has ended. ${text}`, CLOSING].join('\n\n')
}

const UNKNOWN: Angle = { kind: 'implementation', terms: [], scope: null, asked: true, outcome: false }

/** The answer to the person. */
export function composeAnswer(question: OfflineQuestion, tasks: readonly PastCall[]): string {
  const reports = tasks.map((task) => {
    const angle = question.angles.find((candidate) => isTaskOf(candidate, task))
    const title = inSentence(textIn(task, 'description')) || 'Further places'
    const found = readAnswer(task.output, angle?.asked ? wordsOf(angle) : [])
    return { ...found, ...sectionOf(angle ?? UNKNOWN, found), ...(angle ? {} : { title }) }
  })
  const nothing = reports.every(({ findings }) => findings.length === 0)
  return [
    ...(question.intent === 'change' ? [CANNOT_CHANGE] : []),
    ...writeAnswer({
      sections: reports.toSorted((a, b) => Number(b.asked) - Number(a.asked)),
      failure: reports.find(({ failure }) => failure !== null)?.failure ?? null,
      around: nothing ? (reports.find(({ around }) => around.length > 0)?.around ?? []) : [],
    }),
    ...trouble(tasks),
    CLOSING,
  ].join('\n\n')
}

export const CANNOT_CHANGE =
  'I cannot write or change code: this is a rule-based search. A language model can (see the option -m). The work would start here.'

function trouble(tasks: readonly PastCall[]): string[] {
  const failed = tasks.filter(hasFailed).length
  return failed === 0
    ? []
    : [`${failed} of ${tasks.length} subagents did not finish, so this may be incomplete.`]
}
