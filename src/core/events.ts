import { z } from 'zod'
import { commandSandbox } from './command-sandbox-schema.ts'
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
 * The events of a conversation: facts in the past tense, one flat stream for the whole tree (docs/events.md). Durable
 * events have their own `seq`; ephemeral ones have the last durable `seq` and a `sub` that counts from it, and are
 * never replayed. Unknown fields are kept: readers must accept newer events.
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

/** A code that other versions may extend: any string is accepted. */
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
  /** For a denied call: who or what denied it, as a code. */
  reason: codeOf<DenialReason>().optional(),
})
const status = z.enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'])

/** Fields of every event, so that one subscriber can draw the whole tree. null: not applicable. */
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
  /** How the last answer of the run ended, as its provider reported it. */
  finishReason: codeOf<FinishReason>().nullable().optional(),
  /** The previous status; null in the first event of a run. */
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

/** The number for `/approve` (docs/approvals.md). Absent in an event of an older program. */
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
/** Number of items that now wait on the branch; absent in an event of an older program. */
const waitingCount = { count: z.int().min(0).optional() }
const inboxShape = {
  ...waitingCount,
  itemId: ids.item,
  kind: z.enum(['user', 'result', 'note']),
  mode: z.enum(['steer', 'follow_up']),
}
/** The item as text for people. */
const waitingShape = {
  ...inboxShape,
  text: z.string().optional(),
  fromRunId: ids.run.nullable().optional(),
  /** For a message: its author; null: unknown. */
  author: createAuthorSchema().nullable().optional(),
  /** For a result: what the runtime knows about the report; `text` is what the subagent wrote. */
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
    /** The run that wrote it; null: none. Its parts name the author. */
    writerRunId: ids.run.nullable().optional(),
  }),
  'message.completed': event('message.completed', {
    ...messageShape,
    state: z.enum(['complete', 'interrupted']),
    /** For an answer: how it ended, as its provider reported it. */
    finishReason: codeOf<FinishReason>().optional(),
  }),
  'part.started': event('part.started', { messageId: ids.message, partId: ids.part, kind: z.string() }),
  'part.delta': event('part.delta', {
    messageId: ids.message,
    partId: ids.part,
    kind: z.string(),
    text: z.string(),
    /** Number of characters before this delta. */
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
    /** What its queue waits for from now on; absent: a slot of the conversation. */
    line: codeOf<QueueLine>().optional(),
    /** The budget that it waits for before it asks for a slot. null: none. */
    waitingFor: waitingFor.nullable().optional(),
  }),
  'run.started': event('run.started', runShape),
  'run.resumed': event('run.resumed', runShape),
  'run.progress': event('run.progress', {
    ...runShape,
    lastAction: z.object({ tool: z.string(), title: z.string(), at: ms }).nullable(),
    /** Who asked it to pause at its next boundary. */
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
    /** What "always" would grant; null: nothing can be granted permanently. */
    grant: grant.nullable(),
    /** For a command: what it can reach. Absent otherwise, and in an event of an older program. */
    sandbox: commandSandbox.optional(),
    position: z.int().min(1),
    of: z.int().min(1),
  }),
  'approval.answered': event('approval.answered', {
    approvalId: ids.approval,
    answer: z.enum(['once', 'run', 'always', 'deny']),
    by: z.string(),
    note: z.string().nullable().optional(),
    /** For `run` and `always`: what is allowed from now on. */
    grant: grant.optional(),
    /** For `always`: where. */
    scope: z.enum(['conversation', 'project']).optional(),
  }),
  'question.asked': event('question.asked', {
    questionId: ids.question,
    number: askNumber,
    callId: ids.call,
    question: z.string(),
    /** Suggested answers; any other text is allowed too. */
    options: z.array(z.string()),
    path: z.array(z.string()),
    position: z.int().min(1),
    of: z.int().min(1),
  }),
  'question.answered': event('question.answered', {
    questionId: ids.question,
    callId: ids.call,
    /** null: closed without an answer; `by` is what closed it. */
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
/** An event before it gets its `seq`. */
export type EventDraft<K extends EventType = EventType> = K extends EventType
  ? Omit<EventOf<K>, 'seq' | 'sub'>
  : never

/** Live only: never stored or replayed; snapshots contain what they built. */
export const ephemeralTypes = [
  'part.started',
  'part.delta',
  'run.progress',
  'tool.output',
] as const satisfies readonly EventType[]

export function isEphemeral(type: EventType): boolean {
  return (ephemeralTypes as readonly EventType[]).includes(type)
}

/** Parses an event of unknown origin. @throws ZodError if it is unknown or a field is invalid. */
export function parseEvent(value: unknown): OffshootEvent {
  const type = z.object({ type: z.string() }).parse(value).type
  const schema = Object.hasOwn(eventSchemas, type) ? eventSchemas[type as EventType] : undefined
  if (!schema)
    throw new z.ZodError([{ code: 'custom', path: ['type'], message: `unknown event ${type}`, input: value }])
  return schema.parse(value)
}
