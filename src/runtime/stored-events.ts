import type { OffshootEvent } from '../core/events.ts'
import type { CallId, ConversationId, MessageId } from '../core/ids.ts'
import { textOf } from '../core/message.ts'
import type { Reader } from '../store/port.ts'

/**
 * Events are stored without the contents that stand in rows of their own (parts, inputs, outputs, reports): a turn is
 * then written once, not twice. Reading them back puts the contents in again.
 */
export function toStored(event: OffshootEvent): OffshootEvent {
  switch (event.type) {
    case 'part.completed':
      return { ...event, part: { id: event.part.id, type: event.part.type } }
    case 'tool.started':
    case 'tool.completed':
    case 'tool.failed':
    case 'tool.denied':
    case 'tool.skipped':
    case 'tool.unknown': {
      const { input: _input, output: _output, ...rest } = event
      return rest
    }
    case 'run.completed':
    case 'run.failed':
    case 'run.paused':
    case 'run.cancelled': {
      const { report: _report, ...rest } = event
      return rest
    }
    default:
      return event
  }
}

/** The durable events of a conversation after a `seq`, as they were told. */
export function readEvents(
  store: Reader,
  conversationId: ConversationId,
  after: number,
  limit?: number,
): OffshootEvent[] {
  const rows = store.find('events', {
    where: { conversationId },
    after,
    orderBy: 'seq',
    ...(limit ? { limit } : {}),
  })
  return rows.map((row) => fromStored(store, row.event))
}

function fromStored(store: Reader, event: OffshootEvent): OffshootEvent {
  switch (event.type) {
    case 'part.completed': {
      const row = store.get('parts', event.partId)
      return row ? { ...event, part: { ...row.part } } : event
    }
    case 'tool.started':
      return { ...event, input: inputOf(store, event.callId) }
    case 'tool.completed':
    case 'tool.failed':
    case 'tool.denied':
    case 'tool.skipped':
    case 'tool.unknown':
      return { ...event, input: inputOf(store, event.callId), output: outputOf(store, event.callId) }
    case 'run.completed':
    case 'run.failed':
    case 'run.paused':
    case 'run.cancelled': {
      const messageId = event.runId && store.get('runs', event.runId)?.reportMessageId
      return { ...event, report: messageId ? messageText(store, messageId) : null }
    }
    default:
      return event
  }
}

function inputOf(store: Reader, callId: CallId): unknown {
  const call = store.get('tool_calls', callId)
  const part = call && store.get('parts', call.partId)?.part
  return part?.type === 'tool-call' ? part.input : undefined
}

function outputOf(store: Reader, callId: CallId): string | undefined {
  const call = store.get('tool_calls', callId)
  const part = call?.resultPartId ? store.get('parts', call.resultPartId)?.part : undefined
  return part?.type === 'tool-result' ? part.output.text : undefined
}

/** The text of a stored message. */
export function messageText(store: Reader, messageId: MessageId): string {
  return textOf(store.find('parts', { where: { messageId }, orderBy: 'position' }).map((row) => row.part))
}
