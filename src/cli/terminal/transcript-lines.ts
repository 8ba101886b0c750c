import { unreachable } from '../../core/errors.ts'
import type { CallId } from '../../core/ids.ts'
import {
  authorOf,
  authorWords,
  SUMMARY_WORDS,
  type Message,
  type Part,
  type ReportPart,
  type ToolResultPart,
} from '../../core/message.ts'
import {
  answerSubject,
  partForPeople,
  reportDetails,
  reportRemarks,
  reportTitle,
} from '../../core/report/report-words.ts'
import { reportOfCall, resultEnd, type CallEnd, type CallFacts } from '../../core/report/call-end.ts'
import { terminalLine, terminalText } from '../../core/terminal-text.ts'
import { changingTools, patchLines, plainPatch, splitPatch } from '../../client/patch-lines.ts'

const INPUT_CHARS = 160

/** What the rows of calls add to their results, by call. */
export type FactsOfCalls = (callId: CallId) => CallFacts | undefined

/** What was said, for a terminal: system messages left out, calls and results on one line each. */
export function transcriptLines(messages: readonly Message[], factsOf: FactsOfCalls): string[] {
  const said = messages.filter((message) => message.role !== 'system')
  return said.flatMap((message) => messageLines(message, factsOf))
}

function messageLines(message: Message, factsOf: FactsOfCalls): string[] {
  const { role, state, parts } = message
  const how = state === 'complete' || role === 'tool' ? '' : ` (${state})`
  return parts
    .map((part) => partText(`${writer(message, part)}${how}`, part, factsOf))
    .filter((text) => text !== '')
}

/** `user` is a person; what a person did not write says who did. */
function writer(message: Message, part: Part): string {
  if (message.role !== 'user' || part.type !== 'text') return message.role
  const author = authorOf(part, message)
  if (part.summaryOf) return `runtime, ${SUMMARY_WORDS}`
  return author === 'person' ? 'user' : terminalLine(authorWords(author)).toLowerCase()
}

function partText(who: string, part: Part, factsOf: FactsOfCalls): string {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? '' : `${who}: ${hanging(terminalText(part.text))}`
    case 'reasoning':
      return ''
    case 'tool-call':
      return `  → ${terminalLine(part.tool)} ${terminalLine(JSON.stringify(part.input)).slice(0, INPUT_CHARS)}`
    case 'tool-result':
      return resultLines(part, resultEnd(part, factsOf(part.callId)))
    case 'file':
      return `${who}: [${terminalLine(part.file.filename ?? 'file')}, ${terminalLine(part.file.mediaType)}]`
    case 'report': {
      const { text, report } = partForPeople(part) as ReportPart
      const remarks = reportRemarks(report).map((line) => `(${line})`)
      const said = [...remarks, text].filter((line) => line.trim() !== '').join('\n')
      return `${terminalLine(reportTitle(report))} (${terminalLine(reportDetails(report))})${said ? `: ${hanging(terminalText(said))}` : ''}`
    }
    case 'notice':
      return `  ∙ ${terminalLine(part.text)}`
    default:
      return unreachable(part)
  }
}

function resultLines(part: ToolResultPart, end: CallEnd): string {
  return `  ← ${resultHead(part, end)}, ${resultText(part)}${changeText(part)}${answerLines(part)}`
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
  const remarks = reportRemarks(report).map((line) => `(${line})`)
  return [...remarks, output.text.trimEnd()]
    .filter((text) => text.trim() !== '')
    .map((text) => `\n    ${hanging(terminalText(text))}`)
    .join('')
}

/** Only the first line of a text stands at the margin: nothing in it can look like the next message. */
function hanging(text: string): string {
  return text.trimEnd().replace(/\n(?=.)/g, '\n    ')
}

/** Of a call whose effect is not known, what a person has to look after. */
function resultText({ status, output }: ToolResultPart): string {
  return status === 'unknown' ? terminalLine(output.text) : lineCount(output.text)
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
