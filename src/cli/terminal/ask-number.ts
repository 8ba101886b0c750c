import type { ApprovalId, ConversationId, QuestionId } from '../../core/ids.ts'
import { OffshootError } from '../../core/errors.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Reader } from '../../store/port.ts'
import { wholeId } from '../typed-id.ts'
import { requireConversation } from '../unknown-id.ts'

export const WHERE_ASKED = 'offshoot ps shows which runs wait for an answer'

type Command = 'approve' | 'answer'

/** What has a number, answered or not. */
interface NumberedAsk {
  readonly id: ApprovalId | QuestionId
  readonly conversationId: ConversationId
  readonly title: string
  /** What answers it. */
  readonly command: Command
  readonly answered: boolean
}

/** More of them are counted, not listed. */
const LISTED = 5

/** Whether a person means a number and no id: `#3`, `cnv_…#3`, and `3`, which is refused with how it is written. */
export function isTypedNumber(typed: string): boolean {
  return typed.includes('#') || /^\d{1,9}$/.test(typed)
}

/**
 * What was asked with a number. Each conversation counts by itself, and an answered number is never given again: so a
 * number alone names something only where one conversation has given it. What is still open does not decide, because a
 * person who types a number that was answered meanwhile would decide for another conversation.
 * @throws OffshootError `usage`
 */
export function askedAs(reader: Reader, typed: string, command: Command): NumberedAsk['id'] {
  const { number, conversationId } = parse(reader, typed)
  const all = asksWith(reader, number, conversationId)
  const [first] = all
  if (!first) {
    const where = conversationId ? ` in ${conversationId}` : ''
    throw new OffshootError('usage', `unknown approval or question #${number}${where}`, { hint: WHERE_ASKED })
  }
  if (all.length > 1) throw ofSeveral(all, number, command)
  if (first.command !== command) throw ofOtherKind(first, number)
  return first.id
}

/** For the line that says what was answered: `make (#1 of cnv_…)`. */
export function whichOf(
  { number, conversationId }: { readonly number: number; readonly conversationId: ConversationId },
  title: string,
): string {
  return `${terminalLine(title)} (#${number} of ${conversationId})`
}

function parse(reader: Reader, typed: string) {
  const [, before = '', number] = /^([^#]*)#([1-9]\d{0,8})$/.exec(typed) ?? []
  if (number === undefined)
    throw new OffshootError(
      'usage',
      `"${terminalLine(typed)}" is not the number of an approval or question`,
      {
        hint: "write '#3' in quotes (# starts a shell comment), or CONVERSATION#3",
      },
    )
  return {
    number: Number(number),
    conversationId: before ? requireConversation(reader, wholeId(reader, before, ['cnv'])).id : undefined,
  }
}

/** What is open first, of that the newest first. */
function asksWith(reader: Reader, number: number, conversationId: ConversationId | undefined): NumberedAsk[] {
  const where = conversationId ? { number, conversationId } : { number }
  const all: NumberedAsk[] = [
    ...reader
      .find('approvals', { where })
      .map((row) => ({ ...row, command: 'approve' as const, answered: row.answer !== null })),
    ...reader.find('questions', { where }).map((row) => ({
      ...row,
      title: row.question,
      command: 'answer' as const,
      answered: row.answeredAt !== null,
    })),
  ]
  return all.toSorted(
    (a, b) => Number(a.answered) - Number(b.answered) || (a.conversationId < b.conversationId ? 1 : -1),
  )
}

function ofSeveral(all: readonly NumberedAsk[], number: number, command: Command): OffshootError {
  const listed = all.slice(0, LISTED).map(({ conversationId, title, answered }) => {
    const what = terminalLine(title) + (answered ? ', answered' : '')
    return `${conversationId}#${number} (${what})`
  })
  const more = all.length > LISTED ? ` and ${all.length - LISTED} more` : ''
  const what = `${all.length} conversations have an approval or question #${number}`
  return new OffshootError('usage', `${what}: ${listed.join(', ')}${more}`, {
    hint: `name one of them: offshoot ${command} CONVERSATION#${number}`,
  })
}

function ofOtherKind(
  { id, conversationId, title, command, answered }: NumberedAsk,
  number: number,
): OffshootError {
  const kind = command === 'approve' ? 'an approval' : 'a question'
  const what = `#${number} of ${conversationId} is ${kind}: ${id} (${terminalLine(title)})`
  return new OffshootError('usage', what, {
    hint: answered ? WHERE_ASKED : `offshoot ${command} ${id} answers it`,
  })
}
