import { citationsIn } from './citation.ts'
import { angleLines, writeAngle, type Angle } from './angle.ts'
import type { OfflineQuestion } from './question.ts'
import { NEAREST_NOTE } from './nearest.ts'
import { CLOSING, LOOSE_NOTE, withoutRepeats, writeNearest, writeSection, type Section } from './report.ts'
import type { Finding } from './select.ts'
import type { WantedCall } from './search-calls.ts'
import type { PastCall, Transcript } from './prompt-transcript.ts'

/** One `task` for each angle that was not handed out before, to run side by side. */
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

/** The sentence before the tasks: what is going to be looked for. */
export function planText(tasks: readonly WantedCall[]): string {
  const sides = tasks.length === 1 ? 'one more side' : `${tasks.length} sides at the same time`
  return `I look at this from ${sides}: ${tasks.map((task) => task.input['description']).join('; ')}.`
}

/** Three to five words for people. */
function describe(angle: Angle): string {
  const words = angle.terms.slice(0, 2).map((term) => term.word.replace(/[`:*\n]/g, ' '))
  return [KIND_WORDS[angle.kind], ...words].join(' ').slice(0, 60)
}

const KIND_WORDS: Readonly<Record<Angle['kind'], string>> = {
  implementation: 'Find code for',
  tests: 'Find tests of',
  usage: 'Find uses of',
  docs: 'Find docs on',
  config: 'Find configuration of',
  overview: 'Read what it is',
  entry: 'Find where it begins',
  outline: 'Outline the code in',
}

/** The subagents' reports as sections, one for each angle that was handed out. */
function sectionsFromReports(angles: readonly Angle[], tasks: readonly PastCall[]): Section[] {
  const sections = tasks.map((task) => {
    const angle = angles.find((candidate) => isTaskOf(candidate, task))
    const findings = findingsIn(partsOf(task.output).fitting)
    const title = angle?.title ?? (textIn(task, 'description') || 'Further findings').replace(/[`:*]/g, ' ')
    return {
      title,
      asked: angle?.asked ?? true,
      findings: findings.slice(0, angle?.asked === false ? 4 : 8),
      loose: task.output.includes(LOOSE_NOTE),
    }
  })
  return withoutRepeats(sections.toSorted((a, b) => Number(b.asked) - Number(a.asked)))
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

/** A message that only hands over what a subagent reported, and asks for nothing. */
export function isReport(text: string): boolean {
  return /^\s*<subagent_report\b/.test(text)
}

/** What a report holds for the person: its citations; whatever else it says is not judged here. */
export function passOn(report: string): string {
  const { fitting, nearest } = partsOf(report)
  const section = { title: 'What it cites', asked: true, findings: findingsIn(fitting), loose: false }
  const first = section.findings.length === 0 ? 'Its report cites no lines that fit.' : writeSection(section)
  return [`A subagent has ended. ${first}`, ...writeNearest([section], [findingsIn(nearest)]), CLOSING].join(
    '\n\n',
  )
}

/** A report up to its nearest other places, and these. */
function partsOf(report: string): { readonly fitting: string; readonly nearest: string } {
  const [fitting = '', nearest = ''] = report.split(`\n${NEAREST_NOTE}\n`)
  return { fitting, nearest }
}

function findingsIn(text: string): Finding[] {
  return citationsIn(text).map((citation) => ({ ...citation, note: noteFor(text, citation.excerpt) }))
}

/** What the report says behind a citation. */
function noteFor(report: string, excerpt: string): string {
  const row = report.split('\n').find((line) => line.includes(`\`${excerpt}\` - `))
  return row
    ? row
        .slice(row.lastIndexOf('` - ') + 4)
        .replace(/[`:]/g, ' ')
        .slice(0, 80)
    : ''
}

/** The answer to the person. */
export function composeAnswer(question: OfflineQuestion, tasks: readonly PastCall[]): string {
  const sections = sectionsFromReports(question.angles, tasks)
  const lists = tasks.map((task) => findingsIn(partsOf(task.output).nearest))
  const found = sections.filter((section) => section.findings.length > 0)
  const parts = [
    ...(question.intent === 'change' ? [CANNOT_CHANGE] : []),
    found.length === 0 ? nothing(question) : lead(found),
    ...found.map(writeSection),
    ...(found.length === 0 ? [] : missing(sections)),
    ...writeNearest(sections, lists),
    ...trouble(tasks),
    CLOSING,
  ]
  return parts.join('\n\n')
}

export const CANNOT_CHANGE =
  'I cannot write or change code: this is a rule-based search. With a language model (see the option -m) the same request can be carried out. Here is where the work would begin.'

function lead(found: readonly Section[]): string {
  const asked = found.filter((section) => section.asked)
  if (asked.length > 0 && asked.every((section) => section.loose))
    return 'Nothing in the workspace is named like that. The nearest places, by related words:'
  const sentences = found
    .filter((section) => section.asked)
    .slice(0, 3)
    .map((section) => `${section.title} - most likely ${topFiles(section)}.`)
  return sentences.length > 0
    ? sentences.join(' ')
    : `Nothing answers this directly; related places are in ${topFiles(found[0]!)}.`
}

function topFiles({ findings }: Section): string {
  return [...new Set(findings.map((finding) => finding.path))].slice(0, 2).join(' and ')
}

function nothing(question: OfflineQuestion): string {
  const words = [
    ...new Set(
      question.angles.flatMap((angle) => angle.terms.map((term) => term.word.replace(/[`:*]/g, ' '))),
    ),
  ]
  if (words.length === 0)
    return 'Nothing was found: the workspace holds no readable text that says what it is.'
  return `Nothing was found. I looked for ${words.slice(0, 8).join(', ')} (and related words) in file names and in the lines of all readable text files of the workspace. Other words, or the name of a function or file, may help.`
}

function missing(sections: readonly Section[]): string[] {
  const empty = sections.filter((section) => section.asked && section.findings.length === 0)
  if (empty.length === 0) return []
  return [`Nothing was found for: ${empty.map((section) => section.title).join('; ')}.`]
}

function trouble(tasks: readonly PastCall[]): string[] {
  const failed = tasks.filter(hasFailed).length
  return failed === 0
    ? []
    : [`${failed} of ${tasks.length} subagents did not finish, so this may be incomplete.`]
}
