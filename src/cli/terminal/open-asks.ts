import { OffshootError } from '../../core/errors.ts'
import type { ApprovalId, BranchId, ConversationId, QuestionId, RunId } from '../../core/ids.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { OffshootEvent } from '../../core/events.ts'
import { readEvents } from '../../runtime/log/stored-events.ts'
import type { Reader } from '../../store/port.ts'
import { requireSubject } from '../unknown-id.ts'
import { cleanApproval, type Io } from '../io.ts'
import { answerWord } from './chosen-answer.ts'
import { askedAs, isTypedNumber, WHERE_ASKED } from './ask-number.ts'

/** Something that a person is asked and has not answered. */
interface ListedAsk {
  readonly id: ApprovalId | QuestionId
  readonly runId: RunId
  readonly branchId: BranchId
  readonly title: string
  /** What answers it. */
  readonly command: 'approve' | 'answer'
  /** What is typed to answer it. */
  readonly answers: string
}

/** Its place in the line of all that the conversation asks now, approvals and questions alike: 1 of 3. */
export function placeInLine(reader: Reader, conversationId: ConversationId, id: ListedAsk['id']) {
  const line = listedAsks(reader, conversationId)
  const position = line.findIndex((each) => each.id === id) + 1
  return { position: Math.max(1, position), of: Math.max(1, line.length) }
}

/**
 * The id of the one thing that a run, branch or conversation asks, and that a command answers.
 * @throws OffshootError `usage` where the id names nothing that asks, or something that asks more.
 */
export function onlyAsked(reader: Reader, id: string, command: ListedAsk['command']): ListedAsk['id'] {
  if (isTypedNumber(id)) return askedAs(reader, id, command)
  const subject = requireSubject(reader, id, [command === 'approve' ? 'apr' : 'que'])
  const all = listedAsks(reader, subject.conversation.id).filter(({ runId, branchId }) =>
    subject.type === 'run' ? runId === id : subject.type === 'branch' ? branchId === id : true,
  )
  const fit = all.filter((each) => each.command === command)
  if (fit.length === 1) return fit[0]!.id
  const [other] = all
  if (fit.length === 0 && other)
    throw new OffshootError(
      'usage',
      `${id} waits for another command: ${other.id} (${terminalLine(other.title)})`,
      {
        hint: `offshoot ${other.command} ${other.id} answers it`,
      },
    )
  const list = fit.map((each) => `${each.id} (${terminalLine(each.title)})`).join(', ')
  const noun = command === 'approve' ? 'approval' : 'question'
  if (fit.length === 0) throw new OffshootError('usage', `${id} has no open ${noun}`, { hint: WHERE_ASKED })
  const what = `${id} has ${fit.length} open ${noun}s: ${list}`
  throw new OffshootError('usage', what, { hint: `name one of them: offshoot ${command} ID` })
}

/** Says on stderr what the conversation asks now, and what answers it; each time what is new. */
export function printsAsked(reader: Reader, conversationId: ConversationId, io: Io): () => void {
  const said = new Set<string>()
  return () => {
    for (const { id, runId, title, command, answers } of listedAsks(reader, conversationId)) {
      if (said.has(id)) continue
      said.add(id)
      const how = `offshoot ${command} ${id} ${answers}`
      const text = `offshoot: ${runId} waits for an answer: ${terminalLine(title)}\n  ${how}\n`
      io.stderr.write(cleanApproval(io, text))
    }
  }
}

/** The events of what was asked up to a position and is not answered. */
export function askedBefore(reader: Reader, conversationId: ConversationId, seq: number): OffshootEvent[] {
  const open = new Set<string>(listedAsks(reader, conversationId).map(({ id }) => id))
  if (open.size === 0) return []
  return readEvents(reader, conversationId, 0).filter(
    (event) =>
      event.seq <= seq &&
      ((event.type === 'approval.requested' && open.has(event.approvalId)) ||
        (event.type === 'question.asked' && open.has(event.questionId))),
  )
}

/** The command line that shows what is asked, and how to answer. */
export function commandFor({ command, id }: Pick<ListedAsk, 'command' | 'id'>): string {
  return `offshoot ${command} ${id}`
}

/** The oldest first. */
export function listedAsks(reader: Reader, conversationId: ConversationId): ListedAsk[] {
  const approvals = reader.find('approvals', { where: { conversationId, answer: null } })
  const questions = reader.find('questions', { where: { conversationId, answeredAt: null } })
  const all: ListedAsk[] = [
    ...approvals.map((row) => ({ ...row, command: 'approve' as const, answers: 'once' })),
    ...questions.map((row) => ({
      ...row,
      title: row.question,
      command: 'answer' as const,
      answers: answerWord(row),
    })),
  ]
  return all.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))
}

/** Behind their prefix ids sort by time. */
function ageOf({ id }: ListedAsk): string {
  return id.slice(id.indexOf('_'))
}
