import type { Message, Part } from '../../core/message.ts'

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
      return [`[result of ${part.tool}, ${part.status}] ${part.output.text}`]
    default:
      return []
  }
}
