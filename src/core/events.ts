import { z } from 'zod'
import type {
  ApprovalId,
  BranchId,
  CallId,
  ConversationId,
  InboxItemId,
  MessageId,
  PartId,
  QuestionId,
  RunId,
} from './ids.ts'
import { createAuthorSchema } from './author-schema.ts'
import { isId, type IdPrefix } from './ids.ts'
import type { DenialReason } from './denial-reason.ts'
import type { FinishReason } from './finish-reason.ts'
import type { QueueLine, WaitingFor } from './run.ts'
import type { EndReason, RunReason, WaitReason } from './run-status.ts'

/**
 * The events of a conversation: facts in the past tense, one flat stream for the whole tree (docs/events.md).
 * Durable events carry their own `seq`; ephemeral ones carry the last durable `seq` and a `sub` that counts on from it,
 * and are never replayed. A field of an event that its schema does not name is kept: readers tolerate newer ones.
 */

function id<T extends string>(prefix: IdPrefix) {
  return z.custom<T>(
    (value) => typeof value === 'string' && isId(prefix, value),
    `expected an id ${prefix}_…`,
  )
}

const ids = {
  conversation: id<ConversationId>('cnv'),
  branch: id<BranchId>('brn'),
  message: id<MessageId>('msg'),
  part: id<PartId>('prt'),
  run: id<RunId>('run'),
  call: id<CallId>('cal'),
  approval: id<ApprovalId>('apr'),
  question: id<QuestionId>('que'),
  item: id<InboxItemId>('inb'),
}

/** A code that a reader of another version may not know: any is taken. */
function codeOf<T extends string>() {
  return z.string() as unknown as z.ZodType<T, string>
}

const ms = z.int().min(0)
const cost = z.number().min(0).nullable()
const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  reasoning: z.number(),
})
const errorShape = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  /** Of a call that was not let begin: who or what did not, as a code. */
  reason: codeOf<DenialReason>().optional(),
})
const status = z.enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'])

/** What every event carries, so that one subscriber can draw the whole tree. null where there is none. */
const base = {
  seq: z.int().min(0),
  sub: z.int().min(1).optional(),
  at: ms,
  conversationId: ids.conversation,
  branchId: ids.branch.nullable(),
  runId: ids.run.nullable(),
  parentRunId: ids.run.nullable(),
  depth: z.int().min(0),
}

function event<T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.looseObject({ type: z.literal(type), ...base, ...shape })
}

const runShape = {
  status,
  reason: codeOf<RunReason>().nullable().optional(),
  endReason: codeOf<EndReason>().nullable().optional(),
  /** How the answer that ended it had ended, as its provider said. */
  finishReason: codeOf<FinishReason>().nullable().optional(),
  /** The status before; null at the first event of a run. */
  from: status.nullable(),
  callId: ids.call.nullable().optional(),
  input: z.string().optional(),
  report: z.string().nullable().optional(),
  error: errorShape.nullable().optional(),
  agent: z.string(),
  description: z.string(),
  model: z.string(),
  turns: z.int().min(0),
  maxTurns: z.int().min(1),
  toolCalls: z.int().min(0),
  usage,
  costUsd: cost,
  background: z.boolean(),
}
const waitingFor = z.object({
  what: codeOf<WaitReason>(),
  code: codeOf<NonNullable<WaitingFor['code']>>().optional(),
  detail: z.string(),
  since: ms,
  until: ms.optional(),
})

/** What `/approve` takes (docs/approvals.md). An event that an older program stored has none. */
const askNumber = z.int().min(1).optional()
const grant = z.object({ tool: z.string(), pattern: z.string().optional() })

const partShape = z.looseObject({ id: ids.part, type: z.string() })
const messageShape = {
  messageId: ids.message,
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  position: z.int().min(0),
}
const toolShape = {
  callId: ids.call,
  tool: z.string(),
  title: z.string(),
  input: z.unknown().optional(),
  output: z.string().optional(),
  exitCode: z.int().nullable().optional(),
  error: errorShape.nullable().optional(),
}
/** Items that wait on the branch from now on; absent: the event is of an older program. */
const waitingCount = { count: z.int().min(0).optional() }
const inboxShape = {
  ...waitingCount,
  itemId: ids.item,
  kind: z.enum(['user', 'result', 'note']),
  mode: z.enum(['steer', 'follow_up']),
}
/** What waits, to be read by people. */
const waitingShape = {
  ...inboxShape,
  text: z.string().optional(),
  fromRunId: ids.run.nullable().optional(),
  /** Of a message: who wrote it; null: it is not known. */
  author: createAuthorSchema().nullable().optional(),
  /** Of a result: what the runtime knows of the report; `text` is what the subagent wrote. */
  report: z.looseObject({ agent: z.string(), status }).nullable().optional(),
}

export const eventSchemas = {
  'conversation.created': event('conversation.created', { directory: z.string(), title: z.string() }),
  'conversation.updated': event('conversation.updated', { title: z.string() }),
  'conversation.deleted': event('conversation.deleted', {}),
  'branch.created': event('branch.created', {
    kind: z.string(),
    inheritContext: z.boolean(),
    parentBranchId: ids.branch.nullable(),
    originMessageId: ids.message.nullable(),
    originToolCallId: ids.call.nullable(),
    agent: z.string(),
    label: z.string(),
  }),
  'message.appended': event('message.appended', {
    ...messageShape,
    /** The run in which it was written; null: none. Who wrote it, its parts say. */
    writerRunId: ids.run.nullable().optional(),
  }),
  'message.completed': event('message.completed', {
    ...messageShape,
    state: z.enum(['complete', 'interrupted']),
    /** Of an answer: how it ended, as its provider said. */
    finishReason: codeOf<FinishReason>().optional(),
  }),
  'part.started': event('part.started', { messageId: ids.message, partId: ids.part, kind: z.string() }),
  'part.delta': event('part.delta', {
    messageId: ids.message,
    partId: ids.part,
    kind: z.string(),
    text: z.string(),
    /** Characters of the part that came before. */
    offset: z.int().min(0).optional(),
  }),
  'part.completed': event('part.completed', {
    messageId: ids.message,
    partId: ids.part,
    kind: z.string(),
    part: partShape,
  }),
  'run.queued': event('run.queued', {
    ...runShape,
    position: z.int().min(1).optional(),
    /** What the line of its conversation waits for from now on; absent: for a slot of the conversation. */
    line: codeOf<QueueLine>().optional(),
    /** It waits for budget before it asks for a slot. null: no longer. */
    waitingFor: waitingFor.nullable().optional(),
  }),
  'run.started': event('run.started', runShape),
  'run.resumed': event('run.resumed', runShape),
  'run.progress': event('run.progress', {
    ...runShape,
    lastAction: z.object({ tool: z.string(), title: z.string(), at: ms }).nullable(),
    /** Who has asked it to pause at its next boundary. */
    pausing: z.enum(['user', 'parent']).nullable().optional(),
  }),
  'run.waiting': event('run.waiting', { ...runShape, waitingFor }),
  'run.paused': event('run.paused', {
    ...runShape,
    /** Reports that were delivered to it and that no request has read. Absent: none. */
    unreadReports: z.int().min(1).optional(),
  }),
  'run.completed': event('run.completed', runShape),
  'run.failed': event('run.failed', runShape),
  'run.cancelled': event('run.cancelled', runShape),
  'run.backgrounded': event('run.backgrounded', runShape),
  'turn.completed': event('turn.completed', { turn: z.int().min(1), usage, costUsd: cost }),
  'usage.updated': event('usage.updated', { usage, costUsd: cost }),
  'tool.started': event('tool.started', toolShape),
  'tool.output': event('tool.output', { callId: ids.call, text: z.string() }),
  'tool.completed': event('tool.completed', toolShape),
  'tool.failed': event('tool.failed', toolShape),
  'tool.denied': event('tool.denied', toolShape),
  'tool.skipped': event('tool.skipped', toolShape),
  'tool.unknown': event('tool.unknown', toolShape),
  'approval.requested': event('approval.requested', {
    approvalId: ids.approval,
    number: askNumber,
    callId: ids.call,
    tool: z.string(),
    title: z.string(),
    detail: z.string(),
    directory: z.string(),
    path: z.array(z.string()),
    rule: z.string(),
    /** What "always" would grant; null where nothing may be granted for good. */
    grant: grant.nullable(),
    position: z.int().min(1),
    of: z.int().min(1),
  }),
  'approval.answered': event('approval.answered', {
    approvalId: ids.approval,
    answer: z.enum(['once', 'run', 'always', 'deny']),
    by: z.string(),
    note: z.string().nullable().optional(),
    /** Of `run` and `always`: what is allowed from now on. */
    grant: grant.optional(),
    /** Of `always`: where. */
    scope: z.enum(['conversation', 'project']).optional(),
  }),
  'question.asked': event('question.asked', {
    questionId: ids.question,
    number: askNumber,
    callId: ids.call,
    question: z.string(),
    /** Answers to choose from; any other text is one too. */
    options: z.array(z.string()),
    path: z.array(z.string()),
    position: z.int().min(1),
    of: z.int().min(1),
  }),
  'question.answered': event('question.answered', {
    questionId: ids.question,
    callId: ids.call,
    /** null: it was closed without an answer, and `by` is what closed it. */
    text: z.string().nullable(),
    by: z.string(),
  }),
  'context.compacted': event('context.compacted', {
    messages: z.int().min(1),
    tokensBefore: z.int(),
    tokensAfter: z.int(),
  }),
  'inbox.added': event('inbox.added', waitingShape),
  'inbox.updated': event('inbox.updated', waitingShape),
  'inbox.delivered': event('inbox.delivered', inboxShape),
  'inbox.withdrawn': event('inbox.withdrawn', inboxShape),
  'inbox.empty': event('inbox.empty', waitingCount),
  'report.delivered': event('report.delivered', {
    itemId: ids.item.optional(),
    callId: ids.call.optional(),
    fromRunId: ids.run,
    toBranchId: ids.branch,
    status,
  }),
} as const

export type EventType = keyof typeof eventSchemas
type Schemas = typeof eventSchemas
type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] }
/** One event; switch on `type`. */
export type OffshootEvent = { [K in EventType]: Known<z.infer<Schemas[K]>> }[EventType]
export type EventOf<K extends EventType> = Extract<OffshootEvent, { type: K }>
/** An event as its maker knows it, before `seq` is given out. */
export type EventDraft<K extends EventType = EventType> = K extends EventType
  ? Omit<EventOf<K>, 'seq' | 'sub'>
  : never

/** Live only: never stored, never replayed; the snapshot holds what they built. */
export const ephemeralTypes = [
  'part.started',
  'part.delta',
  'run.progress',
  'tool.output',
] as const satisfies readonly EventType[]

export function isEphemeral(type: EventType): boolean {
  return (ephemeralTypes as readonly EventType[]).includes(type)
}

/** Reads one event of unknown origin. @throws ZodError when it is none of ours or a field is wrong. */
export function parseEvent(value: unknown): OffshootEvent {
  const type = z.object({ type: z.string() }).parse(value).type
  const schema = Object.hasOwn(eventSchemas, type) ? eventSchemas[type as EventType] : undefined
  if (!schema)
    throw new z.ZodError([{ code: 'custom', path: ['type'], message: `unknown event ${type}`, input: value }])
  return schema.parse(value)
}
