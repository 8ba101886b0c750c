import { sandboxWords } from '../core/command-sandbox.ts'
import { unreachable } from '../core/errors.ts'
import { personAnswer } from '../core/report/person-answer.ts'
import { messageNumbers } from '../core/message-numbers.ts'
import {
  authorWords,
  SUMMARY_WORDS,
  type Part,
  type ReportPart,
  type ToolResultPart,
} from '../core/message.ts'
import {
  answerSubject,
  answerForPeople,
  partForPeople,
  reportDetails,
  reportRemarks,
  reportTitle,
} from '../core/report/report-words.ts'
import { resultEnd } from '../core/report/call-end.ts'
import { messageStateWords, speakerWords, taskMessage } from '../core/report/speaker-words.ts'
import type { StatusLine } from '../core/status-line/status-line.ts'
import { turnsText } from '../core/turn-figures.ts'
import { commandToContinue, pausedFact } from '../core/status-line/paused-below.ts'
import { terminalLine, terminalText } from '../core/terminal-text.ts'
import {
  branchesOf,
  type ExportDocument,
  type ExportedMessage,
  type ExportedRun,
  type PlacedBranch,
} from './document.ts'
import { callFactsOf, type FactsByCall } from './call-facts.ts'
import { leftPaused, type PlacedRun } from './left-paused.ts'
import { stateWordsOf, statusLinesOfDocument, type WriteOptions } from './status-words.ts'

/**
 * A document for people, as Markdown: a section per branch, without system messages. No content can break out of its
 * place: texts are block quotes in which possible HTML and link definitions are fenced, inputs and outputs are fenced
 * with more backticks than they contain, and names are escaped.
 */
export function documentMarkdown(document: ExportDocument, { isDriven = true }: WriteOptions = {}): string {
  const { id, title, directory, created, updated } = document
  const head = [
    `# ${inline(title)}`,
    `Conversation ${id} in ${inline(directory)}, from ${time(created)} to ${time(updated)}.`,
  ]
  const known: Known = {
    numbers: placesOf(document),
    calls: callFactsOf(document),
    lines: statusLinesOfDocument(document, { isDriven }),
    isDriven,
  }
  const leftAt = leftPaused(document)
  const sections = [...branchesOf(document)].flatMap((placed) => {
    const numbers = messageNumbers(placed.messages)
    return [
      ...branchHead(placed, known),
      ...(leftAt.get(placed.branch?.id ?? '') ?? []).map(leftBlock),
      ...said(placed.messages).flatMap((message) =>
        messageBlocks({ message, number: numbers.get(message.id)!, placed }, known),
      ),
    ]
  })
  return `${[...head, ...sections].join('\n\n')}\n`
}

type Numbers = ReadonlyMap<string, string>

/** Lookup tables for rendering a document. */
interface Known {
  readonly numbers: Numbers
  readonly calls: FactsByCall
  readonly lines: ReadonlyMap<string, StatusLine>
  readonly isDriven: boolean
}

/** `2 of main`: the place of a message. */
function placesOf(document: ExportDocument): Numbers {
  const numbers = new Map<string, string>()
  for (const { branch, messages } of branchesOf(document))
    for (const [id, number] of messageNumbers(messages))
      if (number > 0) numbers.set(id, `${number} of ${branchName(branch)}`)
  return numbers
}

/** Only the main branch has its bare name, because anybody can choose names. */
function branchName(branch: PlacedBranch['branch']): string {
  const { type = 'main', metadata } = branch ?? {}
  const label = inline(metadata?.label ?? 'main')
  if (type === 'main') return label
  return `${type === 'human' ? 'fork' : inline(type)} “${label}”`
}

function branchHead({ branch, originMessageId }: PlacedBranch, { numbers, lines }: Known): string[] {
  const { agent = 'main', runs = [], costUsd } = branch?.metadata ?? {}
  const type = branch?.type ?? 'main'
  const origin = originMessageId && numbers.get(originMessageId)
  const facts = [
    type === 'human' ? 'fork' : inline(type),
    `agent ${inline(agent)}`,
    ...(origin ? [`from message ${origin}`] : []),
    ...stateWords(runs, lines),
    ...(costUsd ? [`${costUsd.toFixed(3)} US dollars`] : []),
    ...(branch ? [branch.id] : []),
  ]
  return [`## ${branchName(branch)}`, `${facts.join(', ')}.`]
}

function leftBlock(run: PlacedRun): string {
  return `Notice: ${inline(pausedFact(run))}: \`${commandToContinue(run.branchId)}\``
}

function stateWords(runs: readonly ExportedRun[], lines: Known['lines']): string[] {
  const last = runs.at(-1)
  const line = last && lines.get(last.id)
  return line ? [inline(stateWordsOf(last, line)), turnsText(runs)] : []
}

function said(messages: readonly ExportedMessage[]): ExportedMessage[] {
  return messages.filter((message) => message.role !== 'system')
}

interface PlacedMessage {
  readonly message: ExportedMessage
  readonly number: number
  readonly placed: PlacedBranch
}

function messageBlocks({ message, number, placed }: PlacedMessage, { calls, isDriven }: Known): string[] {
  const { parts, created } = message
  const state = messageStateWords(message.state, isDriven)
  const how = state === null ? '' : ` (${state})`
  return [
    `### ${number}. ${writer(message, placed)}${how}, ${time(created)}`,
    ...parts.flatMap((part) => partBlocks(part, calls)),
  ]
}

function writer(message: ExportedMessage, { branch, messages }: PlacedBranch): string {
  const { type = 'main', metadata } = branch ?? {}
  const isTask = type === 'subagent' && taskMessage(messages) === message
  const facts = { agent: metadata?.agent ?? 'main', isTask }
  return inline(speakerWords({ ...message, runId: message.runId ?? null }, facts))
}

function partBlocks(part: Part, calls: FactsByCall): string[] {
  switch (part.type) {
    case 'text':
      return [...(part.summaryOf ? [`(${SUMMARY_WORDS})`] : []), quote(part.text)]
    case 'report':
      return reportBlocks(partForPeople(part) as ReportPart)
    case 'reasoning':
      return ['Reasoning:', quote(part.text)]
    case 'tool-call':
      return [`Call of ${inline(part.tool)}:`, fence(JSON.stringify(part.input, null, 2), 'json')]
    case 'tool-result':
      return resultBlocks(part, calls)
    case 'file':
      return [`File: ${inline(part.file.filename ?? 'without a name')}, ${inline(part.file.mediaType)}`]
    case 'notice':
      return [`Notice: ${inline(part.text)}`]
    default:
      return unreachable(part)
  }
}

/** `task, explore (find it), completed` */
function resultHead(part: ToolResultPart, calls: FactsByCall): string {
  const facts = calls.get(part.callId)
  const end = resultEnd(part, facts)
  const words = [part.tool, answerSubject(part.output), end.words, sandboxWords(facts?.sandbox)]
  return words.flatMap((word) => (word ? inline(word) : [])).join(', ')
}

/** The runtime's remarks are outside the subagent's text. */
function resultBlocks(part: ToolResultPart, calls: FactsByCall): string[] {
  const answer = personAnswer(part)
  if (answer !== undefined)
    return [`Result of ${resultHead(part, calls)}, answered by ${authorWords('person')}:`, quote(answer)]
  const { remarks, text } = answerForPeople(part.output)
  const said = remarks.map((line) => `(${inline(line)})`)
  return [`Result of ${resultHead(part, calls)}:`, ...said, fence(text, '')]
}

function reportBlocks({ text, report }: ReportPart): string[] {
  const head = `**${inline(reportTitle(report))}** (${inline(reportDetails(report))}), ${report.branchId}:`
  return [
    head,
    ...reportRemarks(report).map((line) => `(${inline(line)})`),
    ...(text.trim() ? [quote(text)] : []),
  ]
}

function quote(text: string): string {
  const said = terminalText(text)
  return (LEAVES_QUOTE.test(said) ? fence(said, '') : said)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}

/** HTML, which block quotes do not contain, and link definitions, which apply to the whole page. */
const LEAVES_QUOTE = /<[a-z/!?]|\]:/i

function fence(text: string, language: string): string {
  const safe = terminalText(text)
  const longest = Math.max(2, ...(safe.match(/`+/g) ?? []).map((run) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language}\n${safe}\n${ticks}`
}

/** One line without Markdown characters. */
function inline(text: string): string {
  return terminalLine(text).replace(/[\\`*_[\]<>&!|~#]/g, '\\$&')
}

function time(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}
