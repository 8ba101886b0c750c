import type { Branch } from '../../core/conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import type { MessageId } from '../../core/ids.ts'
import type { Message } from '../../core/message.ts'
import { speakerWords } from '../../core/report/speaker-words.ts'
import { readMessages } from '../../runtime/run/messages.ts'
import type { Reader } from '../../store/port.ts'
import { writeStderr, type Io } from '../io.ts'
import { cutToWidth, drawable } from './progress/text-width.ts'
import { dropTyped, readLines, type Lines } from './terminal-lines.ts'

/** The list shows this many of the latest messages. */
const LISTED = 20

interface Place {
  readonly message: MessageId
  readonly text: string | undefined
}

/** @throws OffshootError `usage` for a branch without a message. */
export function lastMessage(store: Reader, branch: Branch): MessageId {
  return saidOn(store, branch).at(-1)!.id
}

/**
 * Lists the messages of a branch with numbers, and asks for one of them and, if no text is given, for the prompt of the branch.
 * @throws OffshootError `usage` for a branch without a message, and when the person picks none.
 */
export async function pickPlace(
  store: Reader,
  branch: Branch,
  given: string | undefined,
  io: Io,
): Promise<Place> {
  const messages = saidOn(store, branch).slice(-LISTED)
  const columns = io.stderr.columns || 80
  const rows = messages.map((message, i) => `${String(i + 1).padStart(4)}  ${summary(message, branch)}`)
  await dropTyped(io)
  const lines = readLines(io)
  try {
    await writeStderr(io, rows.map((row) => `${cutToWidth(row, columns - 1)}\n`).join(''))
    const message = await pickedOf(messages, lines)
    const text = given ?? (await next(lines, '  Prompt for the branch (empty: none): '))?.trim()
    return { message: message.id, text: text || undefined }
  } finally {
    lines.close()
  }
}

function saidOn(store: Reader, { id }: Branch): Message[] {
  const messages = readMessages(store, id).filter(({ role }) => role !== 'system')
  if (messages.length > 0) return messages
  throw new OffshootError('usage', `there is no message on ${id} yet`, {
    hint: 'offshoot show ID lists the branches of a conversation',
  })
}

async function pickedOf(messages: readonly Message[], lines: Lines): Promise<Message> {
  for (;;) {
    const typed = await next(lines, `  fork at which message? [1-${messages.length}] `)
    if (!typed?.trim()) throw new OffshootError('usage', 'no message was picked')
    const message = /^\d+$/.test(typed.trim()) ? messages[Number(typed) - 1] : undefined
    if (message) return message
  }
}

function next(lines: Lines, prompt: string): Promise<string | null> {
  return lines.next(prompt, new AbortController().signal)
}

function summary(message: Message, { agent }: Branch): string {
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const calls = message.parts.flatMap((part) => (part.type === 'tool-call' ? [part.tool] : []))
  const results = message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.tool] : []))
  const what = [texts.join(' '), calls.join(', '), results.join(', ')]
    .filter((each) => each.trim() !== '')
    .join(' → ')
  return drawable(`${speakerWords(message, { agent })}: ${what}`)
}
