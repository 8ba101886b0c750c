import type { EventType, OffshootEvent } from '../../core/events.ts'
import type { CallId, ConversationId, MessageId } from '../../core/ids.ts'
import { textOf, type Part } from '../../core/message.ts'
import type { StoredRun } from '../../core/run.ts'
import { answerTexts, joinedText } from '../../core/report/answer-texts.ts'
import { factsForPeople, outputForPeople, partForPeople } from '../../core/report/report-words.ts'
import type { EventRow, Reader } from '../../store/port.ts'

/** Conversation, branch, run and time of an event: usually the same as for the previous one of its change. */
const PLACE = ['at', 'conversationId', 'branchId', 'runId', 'parentRunId', 'depth'] as const

/**
 * Stored form of a change's events: without content that other rows hold (parts, inputs, outputs, reports), so that a
 * turn is written once; without `seq`; and without fields that repeat the previous event. A commit costs what its pages
 * cost.
 */
export function packEvents(events: readonly OffshootEvent[]): EventRow['events'] {
  return events.map((event, i) => packEvent(event, events[i - 1]))
}

function packEvent(event: OffshootEvent, before: OffshootEvent | undefined): object {
  const fields = event as unknown as Readonly<Record<string, unknown>>
  const isThere = before !== undefined && PLACE.every((key) => event[key] === before[key])
  const left = CONTENTS[event.type] ?? []
  const packed: Record<string, unknown> = {}
  for (const key of Object.keys(fields))
    if (key !== 'seq' && !(isThere && PLACES.has(key)) && !left.includes(key)) packed[key] = fields[key]
  return packed
}

const PLACES: ReadonlySet<string> = new Set(PLACE)

const CALL = ['input', 'output']
const ITEM = ['text', 'author', 'report']
/** Fields stored in other rows; not the report of a pause, because the run may resume and get another one. */
const CONTENTS: Readonly<Partial<Record<EventType, readonly string[]>>> = {
  'part.completed': ['part'],
  'tool.started': CALL,
  'tool.completed': CALL,
  'tool.failed': CALL,
  'tool.denied': CALL,
  'tool.skipped': CALL,
  'tool.unknown': CALL,
  'run.completed': ['report'],
  'run.failed': ['report'],
  'run.cancelled': ['report'],
  'inbox.added': ITEM,
  'inbox.updated': ITEM,
}

/** Events of a row, without content from other rows. */
export function unpackEvents(row: EventRow): OffshootEvent[] {
  let place: object = {}
  return row.events.map((packed, i) => {
    const event = { ...place, ...packed, seq: row.seq + i } as OffshootEvent
    place = Object.fromEntries(PLACE.map((key) => [key, event[key]]))
    return event
  })
}

/** The durable events of a conversation after a `seq`, as they were emitted. */
export function readEvents(
  store: Reader,
  conversationId: ConversationId,
  after: number,
  limit?: number,
): OffshootEvent[] {
  // each row holds at least one event, so this many rows are enough
  const most = limit === undefined ? {} : { limit }
  const begun = lastRow(store, conversationId, after + 1)
  const rows = store.find('events', { where: { conversationId }, after, orderBy: 'seq', ...most })
  const events = [begun, ...rows]
    .flatMap((row) => (row ? unpackEvents(row) : []))
    .filter((event) => event.seq > after)
  return events.slice(0, limit).map((event) => fromStored(store, event))
}

/** The last assigned `seq` of a conversation; 0 before the first event. */
export function lastSeq(store: Reader, conversationId: ConversationId): number {
  const last = lastRow(store, conversationId)
  return last ? last.seq + last.events.length - 1 : 0
}

function lastRow(store: Reader, conversationId: ConversationId, before?: number): EventRow | undefined {
  const bound = before === undefined ? {} : { before }
  const last = { orderBy: 'seq', descending: true, limit: 1, ...bound } as const
  return store.find('events', { where: { conversationId }, ...last })[0]
}

function fromStored(store: Reader, event: OffshootEvent): OffshootEvent {
  switch (event.type) {
    case 'part.completed': {
      const row = store.get('parts', event.partId)
      return { ...event, part: row ? { ...partForPeople(row.part) } : { id: event.partId, type: event.kind } }
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
    case 'run.cancelled': {
      const run = event.runId && store.get('runs', event.runId)
      return { ...event, report: run && run.reportMessageId ? reportText(store, run) : null }
    }
    case 'inbox.added':
    case 'inbox.updated': {
      const { text = '', author = null, report = null } = store.get('inbox', event.itemId) ?? {}
      return { ...event, text, author, report: report && { ...factsForPeople(report) } }
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
  return part?.type === 'tool-result' ? outputForPeople(part.output) : undefined
}

/** The report text of a run: of one message, or of several joined in order. */
export function reportText(store: Reader, run: StoredRun): string {
  const { branchId, reportMessageId, partialFrom } = run
  if (!reportMessageId) return ''
  if (!partialFrom || partialFrom === reportMessageId) return messageText(store, reportMessageId)
  const first = store.get('messages', partialFrom)?.position ?? 0
  const last = store.get('messages', reportMessageId)?.position ?? first
  const messages = store
    .find('messages', { where: { branchId }, orderBy: 'position', after: first - 1 })
    .filter(({ position, role }) => position <= last && (role === 'assistant' || role === 'user'))
    .map((row) => ({ ...row, parts: partsOf(store, row.id) }))
  const { texts } = answerTexts(
    messages,
    ({ id, role, state }) => role === 'assistant' && (state === 'complete' || id === reportMessageId),
  )
  return joinedText(texts.filter(({ text }) => text.trim() !== ''))
}

function partsOf(store: Reader, messageId: MessageId): Part[] {
  return store.find('parts', { where: { messageId }, orderBy: 'position' }).map((row) => row.part)
}

/** The text of a stored message. */
function messageText(store: Reader, messageId: MessageId): string {
  return textOf(partsOf(store, messageId))
}
