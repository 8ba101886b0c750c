import { authorOf, authorWords, type Message, type Part, type TextPart } from '../../core/message.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { statusWords } from '../../core/report/report-envelope.ts'
import { outputForPeople, reportRemarks } from '../../core/report/report-words.ts'

/**
 * What was said in a message, for another model: one text for each part that says anything. Only its first line stands at
 * the margin, so that no line of a text can be taken for another speaker.
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

/** Before each line of a text but the first. */
const MARGIN = '    '

/** The role; of what an agent was told, who wrote it. */
function speaker(message: Message, part: TextPart): string {
  if (message.role !== 'user') return message.role
  if (part.summaryOf) return 'runtime, summary of earlier turns'
  const author = authorOf(part, message)
  return author === 'person' ? 'user' : authorWords(author).toLowerCase()
}
