import { authorOf, authorWords, type Message, type Part, type TextPart } from '../../core/message.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { statusWords } from '../../core/report/report-envelope.ts'
import { outputForPeople, reportRemarks } from '../../core/report/report-words.ts'

/**
 * A message as text for another model: one paragraph per part with content. Only its first line starts at the margin,
 * so no text line can look like another speaker.
 */
export function transcriptLines(message: Message): string[] {
  return message.parts.flatMap((part) => shown(message, part))
}

function shown(message: Message, part: Part): string[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [entry(speaker(message, part), part.text)]
    case 'tool-call':
      return [entry('call', `${part.tool} ${JSON.stringify(part.invalid ?? part.input)}`)]
    case 'tool-result':
      return [entry(`result of ${part.tool}, ${part.status}`, outputForPeople(part.output))]
    case 'report': {
      const { text, report } = part
      const remarks = reportRemarks(report).map((line) => `(${line})`)
      const said = [...remarks, text].filter((line) => line !== '').join('\n')
      return [entry(`report of ${report.agent}, ${statusWords(report)}`, said)]
    }
    default:
      return []
  }
}

function entry(label: string, text: string): string {
  const head = terminalLine(label).replace(/[[\]]/g, '')
  return `[${head}] ${text.replace(/\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/g, `\n${MARGIN}`)}`
}

/** Indent of each later line of a text. */
const MARGIN = '    '

/** The role; for input of an agent, its author. */
function speaker(message: Message, part: TextPart): string {
  if (message.role !== 'user') return message.role
  if (part.summaryOf) return 'runtime, summary of earlier turns'
  const author = authorOf(part, message)
  return author === 'person' ? 'user' : authorWords(author).toLowerCase()
}
