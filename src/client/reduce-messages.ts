import type { EventOf } from '../core/events.ts'
import type { Message, Part } from '../core/message.ts'
import {
  later,
  type BranchView,
  type StreamingMessage,
  type StreamingPart,
  type ViewState,
} from './view-state.ts'

type MessageEvent = EventOf<
  'message.appended' | 'message.completed' | 'part.started' | 'part.delta' | 'part.completed'
>

/** Keeps messages of requested branches, and streaming answers of all. */
export function reduceMessage(state: ViewState, event: MessageEvent): ViewState {
  const branch = event.branchId && state.branches[event.branchId]
  const next = branch && nextBranch(branch, event)
  if (!branch || next === branch) return state
  return { ...state, branches: { ...state.branches, [branch.id]: next! } }
}

function nextBranch(branch: BranchView, event: MessageEvent): BranchView {
  switch (event.type) {
    case 'message.appended':
      return appended(branch, event)
    case 'part.completed':
      return withMessage(branch, event.messageId, (message) =>
        withPart(message, event.part as unknown as Part),
      )
    case 'message.completed':
      return completed(branch, event)
    case 'part.started':
    case 'part.delta':
      return streamed(branch, event)
  }
}

function appended(branch: BranchView, event: EventOf<'message.appended'>): BranchView {
  const { messageId: id, role, position, writerRunId, at } = event
  if (!branch.messages || branch.messages.some((message) => message.id === id)) return branch
  const message: Message = {
    id,
    branchId: branch.id,
    position,
    role,
    state: 'streaming',
    parts: [],
    runId: writerRunId === undefined ? event.runId : writerRunId,
    usage: null,
    createdAt: at,
  }
  const before = branch.messages.findLastIndex((each) => each.position < position)
  return { ...branch, messages: branch.messages.toSpliced(before + 1, 0, message) }
}

function completed(branch: BranchView, event: EventOf<'message.completed'>): BranchView {
  const { messageId, role, state } = event
  const next = withMessage(branch, messageId, (message) => ({ ...message, state }))
  if (role !== 'assistant') return next
  const streaming = next.streaming?.messageId === messageId ? null : next.streaming
  return { ...next, streaming, lastAnswerId: later(next.lastAnswerId, messageId) }
}

function withMessage(
  branch: BranchView,
  id: Message['id'],
  change: (message: Message) => Message,
): BranchView {
  const at = branch.messages?.findLastIndex((message) => message.id === id) ?? -1
  const message = branch.messages?.[at]
  return message ? { ...branch, messages: branch.messages.with(at, change(message)) } : branch
}

function withPart(message: Message, part: Part): Message {
  const at = message.parts.findIndex(({ id }) => id === part.id)
  return { ...message, parts: at < 0 ? [...message.parts, part] : message.parts.with(at, part) }
}

function streamed(branch: BranchView, event: EventOf<'part.started' | 'part.delta'>): BranchView {
  const { messageId, runId } = event
  if (branch.lastAnswerId !== null && messageId <= branch.lastAnswerId) return branch
  const known = branch.streaming?.messageId === messageId ? branch.streaming : undefined
  const streaming = known ?? { messageId, runId, parts: [] }
  const parts = event.type === 'part.delta' ? grown(streaming, event) : begun(streaming, event)
  return parts === known?.parts ? branch : { ...branch, streaming: { ...streaming, parts } }
}

function begun({ parts }: StreamingMessage, { partId, kind }: EventOf<'part.started'>) {
  if (parts.some(({ id }) => id === partId)) return parts
  return [...parts, { id: partId, type: kind, text: '', isCut: false }]
}

function grown({ parts }: StreamingMessage, event: EventOf<'part.delta'>): readonly StreamingPart[] {
  const at = parts.findIndex(({ id }) => id === event.partId)
  const part = parts[at] ?? { id: event.partId, type: event.kind, text: '', isCut: false }
  const next = longer(part, event)
  if (at < 0) return [...parts, next]
  return next === part ? parts : parts.with(at, next)
}

/** Adds no text twice, and none after a gap. */
function longer(part: StreamingPart, { text, offset = part.text.length }: EventOf<'part.delta'>) {
  const { length } = part.text
  if (offset > length) return part.isCut ? part : { ...part, isCut: true }
  if (offset + text.length <= length) return part
  return { ...part, text: part.text.slice(0, offset) + text, isCut: false }
}

/** What to draw of a branch: its messages, ending with the streaming answer. */
export function shownMessages(branch: BranchView): readonly Message[] {
  const { messages, streaming } = branch
  if (!messages || !streaming) return messages ?? []
  const parts = streaming.parts.flatMap(({ id, type, text }): Part[] =>
    type === 'text' || type === 'reasoning' ? [{ id, type, text }] : [],
  )
  const at = messages.findLastIndex((message) => message.id === streaming.messageId)
  if (at >= 0) return messages.with(at, { ...messages[at]!, parts })
  const { messageId: id, runId } = streaming
  const position = (messages.at(-1)?.position ?? -1) + 1
  const about = { role: 'assistant', state: 'streaming', usage: null, createdAt: 0 } as const
  return [...messages, { id, branchId: branch.id, position, parts, runId, ...about }]
}
