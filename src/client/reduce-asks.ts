import type { EventOf } from '../core/events.ts'
import type { ApprovalRow, QuestionRow } from '../protocol/approvals-and-questions.ts'
import { placed, type OpenAsk } from './ask-positions.ts'
import { withAwaiting } from './reduce-calls.ts'
import type { Answered, ViewState } from './view-state.ts'

type AskEvent = EventOf<'approval.requested' | 'approval.answered' | 'question.asked' | 'question.answered'>

const MAX_ANSWERED = 20

export function reduceAsk(state: ViewState, event: AskEvent): ViewState {
  // an older program stored it without its number; the snapshot has it
  if (isAsked(event) && event.number === undefined) return { ...state, isStale: true }
  switch (event.type) {
    case 'approval.requested':
      return withAwaiting({ ...state, approvals: inLine(state.approvals, approvalOf(event)) }, event)
    case 'question.asked':
      return { ...state, questions: inLine(state.questions, questionOf(event)) }
    case 'approval.answered': {
      const { approvalId: id, answer, by, at } = event
      return answered({ ...state, approvals: without(state.approvals, id) }, { id, answer, by, at })
    }
    case 'question.answered': {
      const { questionId: id, text: answer, by, at } = event
      return answered({ ...state, questions: without(state.questions, id) }, { id, answer, by, at })
    }
  }
}

function isAsked(event: AskEvent): event is EventOf<'approval.requested' | 'question.asked'> {
  return event.type === 'approval.requested' || event.type === 'question.asked'
}

function approvalOf(event: EventOf<'approval.requested'>): ApprovalRow {
  const {
    approvalId: id,
    number = 0,
    conversationId,
    callId,
    tool,
    title,
    detail,
    directory,
    path,
    rule,
    grant,
    sandbox = null,
  } = event
  const where = { conversationId, branchId: event.branchId!, runId: event.runId!, callId }
  const asked = { tool, title, detail, directory, path, rule, grant, sandbox, requestedAt: event.at }
  return { id, number, ...where, ...asked, pattern: grant?.pattern ?? null, position: 1, of: 1 }
}

function questionOf(event: EventOf<'question.asked'>): QuestionRow {
  const { questionId: id, number = 0, conversationId, callId, question, options, path, at: askedAt } = event
  const where = { conversationId, branchId: event.branchId!, runId: event.runId!, callId }
  return { id, number, ...where, question, options, path, askedAt, position: 1, of: 1 }
}

/** A process that resumes a run asks again with the same id. */
function inLine<T extends OpenAsk>(open: readonly T[], ask: T): readonly T[] {
  const others = open.filter(({ id }) => id !== ask.id)
  return placed([...others, ask].toSorted((a, b) => (a.id < b.id ? -1 : 1)))
}

function without<T extends OpenAsk>(open: readonly T[], id: string): readonly T[] {
  return placed(open.filter((each) => each.id !== id))
}

function answered(state: ViewState, one: Answered): ViewState {
  return { ...state, answered: [...state.answered, one].slice(-MAX_ANSWERED) }
}
