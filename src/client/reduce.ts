import type { OffshootEvent } from '../core/events.ts'
import { reduceAsk } from './reduce-asks.ts'
import { reduceCall } from './reduce-calls.ts'
import { reduceInbox } from './reduce-inbox.ts'
import { reduceMessage } from './reduce-messages.ts'
import { reduceFigures, reduceRun } from './reduce-runs.ts'
import { newBranch, type ViewState } from './view-state.ts'

/**
 * The state after one more event; the same object if nothing changed. A stored event counts once, however often it
 * arrives; an early one means that others were missed, and the state `isStale` until the next snapshot. Live events may
 * arrive twice.
 */
export function reduce(state: ViewState, event: OffshootEvent): ViewState {
  if (state.isStale || event.conversationId !== state.conversation.id) return state
  if (event.sub !== undefined)
    return event.seq > state.seq ? { ...state, isStale: true } : applied(state, event)
  if (event.seq <= state.seq) return state
  if (event.seq > state.seq + 1) return { ...state, isStale: true }
  const next = applied(state, event)
  return next.isStale ? next : { ...next, seq: event.seq }
}

function applied(state: ViewState, event: OffshootEvent): ViewState {
  switch (event.type) {
    case 'conversation.updated':
      return { ...state, conversation: { ...state.conversation, title: event.title } }
    case 'conversation.deleted':
      return { ...state, isDeleted: true }
    case 'branch.created':
      return withBranch(state, event)
    case 'message.appended':
    case 'message.completed':
    case 'part.started':
    case 'part.delta':
    case 'part.completed':
      return reduceMessage(state, event)
    case 'run.queued':
    case 'run.started':
    case 'run.resumed':
    case 'run.progress':
    case 'run.waiting':
    case 'run.paused':
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
    case 'run.backgrounded':
      return reduceRun(state, event)
    case 'turn.completed':
    case 'usage.updated':
      return reduceFigures(state, event)
    case 'tool.started':
    case 'tool.output':
    case 'tool.completed':
    case 'tool.failed':
    case 'tool.denied':
    case 'tool.skipped':
    case 'tool.unknown':
      return reduceCall(state, event)
    case 'approval.requested':
    case 'approval.answered':
    case 'question.asked':
    case 'question.answered':
      return reduceAsk(state, event)
    case 'inbox.added':
    case 'inbox.updated':
    case 'inbox.delivered':
    case 'inbox.withdrawn':
    case 'inbox.empty':
      return reduceInbox(state, event)
    default: // not drawn, or an event of a newer program
      return state
  }
}

function withBranch(state: ViewState, event: Extract<OffshootEvent, { type: 'branch.created' }>): ViewState {
  const { branchId, conversationId, at: createdAt } = event
  const { kind, inheritContext, parentBranchId, originMessageId, originToolCallId, agent, label } = event
  if (branchId === null) return state
  const row = { id: branchId, conversationId, kind, inheritContext, parentBranchId, createdAt, agent, label }
  const branch = newBranch({ ...row, originMessageId, originToolCallId })
  return { ...state, branches: { ...state.branches, [branchId]: { ...branch, messages: [] } } }
}

/** Dismisses a toast. */
export function withoutToast(state: ViewState, id: string): ViewState {
  return { ...state, toasts: state.toasts.filter((toast) => toast.id !== id) }
}
