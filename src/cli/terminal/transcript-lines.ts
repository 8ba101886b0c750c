import { unreachable } from '../../core/errors.ts'
import {
  authorOf,
  authorWords,
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
  resultWords,
} from '../../core/report/report-words.ts'
import { terminalLine, terminalText } from '../../core/terminal-text.ts'
import { changingTools, patchLines, plainPatch, splitPatch } from '../../client/patch-lines.ts'

const INPUT_CHARS = 160

/** What was said, for a terminal: system messages left out, calls and results on one line each. */
export function transcriptLines(messages: readonly Message[]): string[] {
  return messages.filter((message) => message.role !== 'system').flatMap(messageLines)
}

function messageLines(message: Message): string[] {
  const { role, state, parts } = message
  const how = state === 'complete' || role === 'tool' ? '' : ` (${state})`
  return parts.map((part) => partText(`${writer(message, part)}${how}`, part)).filter((text) => text !== '')
}

/** `user` is a person; what a person did not write says who did. */
function writer(message: Message, part: Part): string {
  if (message.role !== 'user' || part.type !== 'text') return message.role
  const author = authorOf(part, message)
  if (part.summaryOf) return 'runtime, summary of what was said before'
  return author === 'person' ? 'user' : terminalLine(authorWords(author)).toLowerCase()
}

function partText(who: string, part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? '' : `${who}: ${hanging(terminalText(part.text))}`
    case 'reasoning':
      return ''
    case 'tool-call':
      return `  → ${terminalLine(part.tool)} ${terminalLine(JSON.stringify(part.input)).slice(0, INPUT_CHARS)}`
    case 'tool-result':
      return `  ← ${resultHead(part)}, ${resultText(part)}${changeText(part)}`
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

/** `task of explore (find it) completed` */
function resultHead(part: ToolResultPart): string {
  const subject = answerSubject(part.output)
  return `${terminalLine(part.tool)}${subject ? ` of ${subject}` : ''} ${resultWords(part)}`
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
