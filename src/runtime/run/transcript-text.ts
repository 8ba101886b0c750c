import type { Message, Part } from '../../core/message.ts'
import { statusWords } from '../../core/report/report-envelope.ts'
import { outputForPeople, reportRemarks } from '../../core/report/report-words.ts'

/** What was said in a message, for another model: one text for each part that says anything. */
export function transcriptLines(message: Message): string[] {
  return message.parts.flatMap((part) => shown(message, part))
}

function shown({ role }: Message, part: Part): string[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [`[${role}] ${part.text}`]
    case 'tool-call':
      return [`[call] ${part.tool} ${JSON.stringify(part.invalid ?? part.input)}`]
    case 'tool-result':
      return [`[result of ${part.tool}, ${part.status}] ${outputForPeople(part.output)}`]
    case 'report': {
      const { text, report } = part
      const remarks = reportRemarks(report).map((line) => `(${line})`)
      const said = [...remarks, text].filter((line) => line !== '').join('\n')
      return [`[report of ${report.agent}, ${statusWords(report)}] ${said}`]
    }
    default:
      return []
  }
}
