import type { Part, ReportPart, ToolOutput } from '../message.ts'
import { receiptLines } from '../receipt-lines.ts'
import { isEmpty } from '../receipt.ts'
import { saidText, toldWords } from './told-words.ts'
import { terminalLine } from '../terminal-text.ts'
import { headline } from '../report-summary.ts'
import { figureWords, statusWords } from './report-envelope.ts'
import type { ReportFacts, SubagentAnswer } from '../report-facts.ts'

/** Whose report it is and what it came to, in one line for people: `Report of explore: paused (limit)`. */
export function reportTitle({ agent, ...facts }: ReportFacts): string {
  return terminalLine(`Report of ${agent}: ${statusWords(facts)}`)
}

/** The subagent that a call's answer is about: `explore (find it)`; undefined: none. */
export function answerSubject({ subagent }: ToolOutput): string | undefined {
  if (subagent === undefined) return undefined
  const { agent } = subagent
  const what = subagent.type === 'transcript' ? subagent.branchId : subagent.description
  return terminalLine(what ? `${agent} (${what})` : agent)
}

/** Line below the title: the task, and the run's figures. */
export function reportDetails({ description, figures }: ReportFacts): string {
  return [terminalLine(description), figures && figureWords(figures)].filter((text) => text).join(' · ')
}

/** The runtime's remarks about a report, one per line. */
export function reportRemarks(facts: ReportFacts): string[] {
  const { error, note, lacks, form, artifactId, receipts } = facts
  const whole = artifactId ? `the full text is artifact ${artifactId}` : 'the full text is on its branch'
  return [
    error && `Error: ${error}`,
    note,
    lacks && `Shortened: ${whole}`,
    form === 'summary' && 'Summary: the full report is on its branch',
    receipts &&
      !isEmpty(receipts) &&
      `Receipts, recorded by the runtime: ${receiptLines(receipts).join('; ')}`,
    ...toldWords(facts).map((line) => `${TOLD}${line}`),
  ].filter((line) => typeof line === 'string')
}

/** Headline for a chip or list entry: the report's first words, or a remark. */
export function reportHeadline(facts: ReportFacts, text: string): string {
  const said = headline(text) || reportRemarks(facts)[0] || ''
  return said === '' ? statusWords(facts) : `${statusWords(facts)}: ${said}`
}

/** The same with the agent's name: `Report of explore: It is mapped.`, `Report of explore, failed: no key`. */
export function reportLine(facts: ReportFacts, text: string): string {
  const said = headline(text) || facts.error || reportRemarks(facts)[0] || ''
  const state = facts.status === 'completed' ? '' : `, ${statusWords(facts)}`
  return terminalLine(`Report of ${facts.agent}${state}${said === '' ? '' : `: ${said}`}`)
}

/** A part for people: without the envelope that models read around an old report. */
export function partForPeople(part: Part): Part {
  if (part.type === 'report')
    return { ...part, text: saidText(part.text, part.report), report: factsForPeople(part.report) }
  if (part.type !== 'tool-result' || part.output.subagent === undefined) return part
  const { text, subagent } = part.output
  const said = subagent.type === 'report' ? saidText(text, subagent) : text
  return { ...part, output: { ...part.output, text: said, subagent: subagentForPeople(subagent) } }
}

function subagentForPeople(answer: SubagentAnswer): SubagentAnswer {
  if (answer.type === 'transcript') return answer
  const { told: _, ...rest } = answer
  return rest.type === 'report' ? { ...rest, note: factsForPeople(answer as ReportFacts).note } : rest
}

/** Without the runtime's text around an old report; the note keeps other text found there. */
export function factsForPeople({ told, ...facts }: ReportFacts): ReportFacts {
  const words = toldWords({ agent: facts.agent, ...(told ? { told } : {}) }).map((line) => `${TOLD}${line}`)
  if (words.length === 0) return facts
  return { ...facts, note: [facts.note, ...words].filter((line) => line !== null).join('\n') }
}

/** A delivered report as one text for people: title, remarks and the report. */
export function reportForPeople({ text, report }: Pick<ReportPart, 'text' | 'report'>): string {
  const head = `${reportTitle(report)} (${reportDetails(report)})`
  return [head, ...reportRemarks(report).map((line) => `(${line})`), saidText(text, report)]
    .filter((line) => line !== '')
    .join('\n')
}

/** A call's answer for people: the subagent's text with remarks, never an envelope. */
export function outputForPeople(output: ToolOutput): string {
  const { remarks, text } = answerForPeople(output)
  return withLines([...remarks.map((line) => `(${line})`), text])
}

/** The same in two: what the runtime says of the answer, a line each, and the text that it is about. */
export function answerForPeople({ text, subagent }: ToolOutput): {
  readonly remarks: readonly string[]
  readonly text: string
} {
  if (subagent === undefined) return { remarks: [], text }
  if (subagent.type !== 'report') return { remarks: [], text: withLines([text, ...aroundAnswer(subagent)]) }
  const state = subagent.status === 'completed' ? [] : [`${subagent.agent}: ${statusWords(subagent)}`]
  const said = withLines([subagent.lead ?? '', saidText(text, subagent), subagent.rest ?? ''])
  return { remarks: [...state, ...reportRemarks(subagent)], text: said }
}

/** What a model reads beside a transcript or a started-subagent answer. */
function aroundAnswer(answer: Exclude<SubagentAnswer, { readonly type: 'report' }>): string[] {
  if (answer.type === 'transcript') return answer.rest ? [answer.rest] : []
  return toldWords(answer).map((line) => `(${TOLD}${line})`)
}

const TOLD = 'Told to the model: '

function withLines(lines: readonly string[]): string {
  return lines.filter((line) => line !== '').join('\n')
}
