import { sandboxWords } from '../../core/command-sandbox.ts'
import { unreachable } from '../../core/errors.ts'
import type { CallId, MessageId } from '../../core/ids.ts'
import {
  authorWords,
  type Message,
  type Part,
  type ReportPart,
  type ToolResultPart,
} from '../../core/message.ts'
import { personAnswer } from '../../core/report/person-answer.ts'
import {
  answerForPeople,
  answerSubject,
  partForPeople,
  reportDetails,
  reportRemarks,
  reportTitle,
} from '../../core/report/report-words.ts'
import {
  messageStateWords,
  speakerWords,
  textSpeakerWords,
  type SpeakerFacts,
} from '../../core/report/speaker-words.ts'
import type { ReportFacts } from '../../core/report-facts.ts'
import { reportOfCall, resultEnd, type CallEnd, type CallFacts } from '../../core/report/call-end.ts'
import { terminalLine, terminalText } from '../../core/terminal-text.ts'
import { changingTools, patchLines, plainPatch, splitPatch } from '../../client/patch-lines.ts'

const INPUT_CHARS = 160
const REASON_CHARS = 300

/** What a person asked for beyond the text. */
export interface TranscriptDetail {
  /** The id of each message on a line above it. */
  readonly ids?: true
  /** Inputs and results of tool calls in full. */
  readonly tools?: true
}

/** What is known around the messages of a branch. */
export interface TranscriptFacts extends Omit<SpeakerFacts, 'isTask'>, TranscriptDetail {
  /** The first message of a subagent. */
  readonly taskId?: MessageId | undefined
  /** What the rows of calls add to their results, by call. */
  readonly factsOf: (callId: CallId) => CallFacts | undefined
  /** Whether a living process drives the conversation. Default: true. */
  readonly isDriven?: boolean
}

/** What was said, for a terminal: system messages left out, calls and results on one line each. */
export function transcriptLines(messages: readonly Message[], facts: TranscriptFacts): string[] {
  const said = messages.filter((message) => message.role !== 'system')
  return said.flatMap((message, i) => messageLines(message, said[i - 1], facts))
}

function messageLines(message: Message, before: Message | undefined, facts: TranscriptFacts): string[] {
  const state = messageStateWords(message.state, facts.isDriven ?? true)
  const how = state === null || message.role === 'tool' ? '' : ` (${state})`
  const texts = message.parts
    .map((part) => partText(`${writer(message, part, facts)}${how}`, part, facts))
    .filter((text) => text !== '')
  const lines = [...speakerLine(message, before, facts, how), ...texts]
  return facts.ids && lines.length > 0 ? [message.id, ...lines] : lines
}

/**
 * The line of an answer that does not begin with a text, so that what stands below it has an author: where it was cut,
 * where the runtime says something about it, and where somebody else spoke before it.
 */
function speakerLine(
  message: Message,
  before: Message | undefined,
  facts: TranscriptFacts,
  how: string,
): string[] {
  if (isOnlyNotices(message)) return before && isOnlyNotices(before) ? [] : [speakerOf(message, facts)]
  const first = message.parts.find((part) => isShown(part))
  if (message.role !== 'assistant' || first?.type === 'text') return []
  const goesOn = first?.type === 'tool-call' && (before?.role === 'assistant' || before?.role === 'tool')
  if (goesOn && how === '') return []
  const words = `${speakerOf(message, facts)}${how}`
  return [message.parts.some(isText) ? words : `${words}, without a text`]
}

/** What the runtime says between messages: without its name, it would stand below the answer of an agent as part of it. */
function isOnlyNotices({ role, parts }: Message): boolean {
  return role === 'user' && parts.length > 0 && parts.every(({ type }) => type === 'notice')
}

function isShown(part: Part): boolean {
  return part.type !== 'reasoning' && (part.type !== 'text' || isText(part))
}

function isText(part: Part): boolean {
  return part.type === 'text' && part.text.trim() !== ''
}

function speakerOf(message: Message, facts: TranscriptFacts): string {
  return terminalLine(speakerWords(message, speakerFacts(message, facts)))
}

function speakerFacts({ id }: Message, { agent, taskId }: TranscriptFacts): SpeakerFacts {
  return { agent, isTask: taskId !== undefined && id === taskId }
}

/** What a person did not write says who did. */
function writer(message: Message, part: Part, facts: TranscriptFacts): string {
  if (part.type !== 'text') return speakerOf(message, facts)
  return terminalLine(textSpeakerWords(message, part, speakerFacts(message, facts)))
}

function partText(who: string, part: Part, { factsOf, tools }: TranscriptFacts): string {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? '' : `${who}: ${hanging(terminalText(part.text))}`
    case 'reasoning':
      return ''
    case 'tool-call':
      return `  → ${terminalLine(part.tool)} ${inputText(part.input, tools)}`
    case 'tool-result':
      return resultLines(part, endOf(part, factsOf(part.callId)), tools)
    case 'file':
      return `${who}: [${terminalLine(part.file.filename ?? 'file')}, ${terminalLine(part.file.mediaType)}]`
    case 'report':
      return reportLines(partForPeople(part) as ReportPart)
    case 'notice':
      return `  ∙ ${terminalLine(part.text)}`
    default:
      return unreachable(part)
  }
}

/** The runtime says the head and the remarks; the subagent says the text. */
function reportLines({ text, report }: ReportPart): string {
  const head = `${terminalLine(reportTitle(report))} (${terminalLine(reportDetails(report))})`
  const said =
    text.trim() === '' ? '' : `\n  ${terminalLine(authorWords(report))}: ${hanging(terminalText(text))}`
  return `${head}${remarkLines(report)}${said}`
}

/** Marked as a notice is. A text of a subagent stands further to the right: it cannot look like one. */
function remarkLines(facts: ReportFacts): string {
  return remarked(reportRemarks(facts))
}

function remarked(lines: readonly string[]): string {
  return lines.map((line) => `\n  ∙ ${hanging(terminalText(line))}`).join('')
}

function inputText(input: unknown, whole: true | undefined): string {
  const text = terminalLine(JSON.stringify(input))
  return whole ? text : text.slice(0, INPUT_CHARS)
}

function resultLines(part: ToolResultPart, end: CallEnd, whole: true | undefined): string {
  const head = `  ← ${resultHead(part, end)}`
  const said = personAnswer(part)
  if (said !== undefined) return `${head}\n    ${authorWords('person')}: ${hanging(terminalText(said))}`
  if (whole && reportOfCall(part.tool, part.output.subagent) === undefined && part.output.text !== '')
    return `${head}${notesLines(part)}${indented(part.output.text)}`
  return `${head}${resultText(part)}${notesLines(part)}${changeText(part)}${answerLines(part)}`
}

/** The notes of a directory that came with a result. */
function notesLines({ output }: ToolResultPart): string {
  return output.notes ? remarked(answerForPeople(output).remarks) : ''
}

/** `completed in a sandbox, no network` */
function endOf(part: ToolResultPart, facts: CallFacts | undefined): CallEnd {
  const end = resultEnd(part, facts)
  const sandbox = sandboxWords(facts?.sandbox)
  return sandbox === null ? end : { ...end, words: `${end.words} ${sandbox}` }
}

/** `task of explore (find it) completed` */
function resultHead(part: ToolResultPart, { words }: CallEnd): string {
  const subject = answerSubject(part.output)
  return `${terminalLine(part.tool)}${subject ? ` of ${subject}` : ''} ${words}`
}

/** What a subagent answered the call that waited for it: as much as of a report that is delivered. */
function answerLines(part: ToolResultPart): string {
  const { tool, output } = partForPeople(part) as ToolResultPart
  const report = reportOfCall(tool, output.subagent)
  if (report === undefined) return ''
  const text = output.text.trimEnd()
  return `${remarkLines(report)}${text.trim() === '' ? '' : `\n    ${hanging(terminalText(text))}`}`
}

/** Only the first line of a text stands at the margin: nothing in it can look like the next message. */
function hanging(text: string): string {
  return text.trimEnd().replace(/\n(?=.)/g, '\n    ')
}

/** Of a call that was not run, why; of a denied one, by whom; of one whose effect is not known, what a person has to look after. */
function resultText({ status, output }: ToolResultPart): string {
  if (status === 'skipped')
    return `: ${terminalLine(output.text.replace(/^not run: /, '')).slice(0, REASON_CHARS)}`
  if (status === 'denied')
    return `, ${terminalLine(output.text.replace(/^denied,? /, '')).slice(0, REASON_CHARS)}`
  return `, ${status === 'unknown' ? terminalLine(output.text) : lineCount(output.text)}`
}

/** Further to the right than a text: no line of it can look like a message or a notice. */
function indented(text: string): string {
  return terminalText(text).trimEnd().replace(/^/gm, '      ').replace(/^/, '\n')
}

/** What a call changed, with the line numbers of the file. */
function changeText({ tool, output }: ToolResultPart): string {
  const patch = changingTools.has(tool) ? splitPatch(output.text)?.patch : undefined
  const lines = patch === undefined ? [] : plainPatch(patchLines(patch) ?? [])
  return lines.map((line) => `\n      ${terminalText(line)}`).join('')
}

function lineCount(text: string): string {
  const count = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length
  return `${count} ${count === 1 ? 'line' : 'lines'}`
}
