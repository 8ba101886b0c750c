import type { ApprovalId, ConversationId, QuestionId } from '../../core/ids.ts'
import type { Approval, Question } from '../../core/run.ts'
import type { Reader } from '../../store/port.ts'

/** An approval or question of a conversation, and its outcome. */
interface Ask {
  readonly id: ApprovalId | QuestionId
  readonly number: number
  readonly kind: 'approval' | 'question'
  readonly title: string
  readonly path: readonly string[]
  readonly askedAt: number
  readonly answer: string | null
  readonly answeredBy: string | null
  /** null: it is open. */
  readonly answeredAt: number | null
}

/** All asks of a conversation, by number; with a number, only that one if it exists. */
export function everAsked(reader: Reader, conversationId: ConversationId, number?: number): Ask[] {
  const where = { conversationId, ...(number === undefined ? {} : { number }) }
  const all = [
    ...reader.find('approvals', { where }).map(approvalAsk),
    ...reader.find('questions', { where }).map(questionAsk),
  ]
  return all.toSorted((a, b) => a.number - b.number)
}

function approvalAsk(row: Approval): Ask {
  const { id, number, title, path, requestedAt: askedAt, answer, answeredBy, answeredAt } = row
  return { id, number, kind: 'approval', title, path, askedAt, answer, answeredBy, answeredAt }
}

function questionAsk({ id, number, question: title, ...row }: Question): Ask {
  const { path, askedAt, answer, answeredBy, answeredAt } = row
  return { id, number, kind: 'question', title, path, askedAt, answer, answeredBy, answeredAt }
}
