import type { z } from 'zod'
import type {
  ApprovalId,
  BranchId,
  CallId,
  ConversationId,
  MessageId,
  PartId,
  QuestionId,
  RunId,
} from './ids.ts'
import type { DenialReason } from './denial-reason.ts'
import type { FinishReason } from './finish-reason.ts'
import type { Json } from './json.ts'
import type { CommandSandbox } from './command-sandbox.ts'
import type { Fact } from './receipt.ts'
import type { runLimitsSchema, runSetupSchema } from './run-schemas.ts'
import type {
  CancelEnd,
  EndReason,
  PauseEnd,
  PauseReason,
  RunReason,
  RunStatus,
  WaitReason,
} from './run-status.ts'
import type { Usage } from './usage.ts'

/** What a run waits for, for people (invariant L1). */
export interface WaitingFor {
  readonly what: 'approval' | 'question' | 'children' | 'retry'
  /** For `retry`: whether it waits for budget; otherwise it waits for the provider. */
  readonly code?: 'budget'
  readonly detail: string
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly until?: number
}

/**
 * What the queued runs of a conversation wait for: a slot of the conversation (`limits.maxConcurrent`), or of its
 * process (`limits.globalConcurrent`), which other conversations share.
 */
export type QueueLine = 'conversation' | 'process'

export interface LastAction {
  readonly tool: string
  readonly title: string
  readonly at: number
}

export interface RunError {
  readonly code: string
  readonly message: string
  readonly hint?: string
  /** For a denied call: who or what denied it. */
  readonly reason?: DenialReason
}

/** The effective caps of a run, from call, config, definition and default. */
export type RunLimits = z.infer<typeof runLimitsSchema>

/** Settings of a run besides its agent, model and limits. Later runs on the branch keep them. */
export type RunSetup = Readonly<z.infer<typeof runSetupSchema>>

export const noSetup: RunSetup = {
  directory: null,
  effort: null,
  persona: null,
  contextFiles: [],
  maxCostUsd: null,
  maxTokens: null,
}

/**
 * One run of an agent on one branch, from accepted input to idle, as stored, sent and exported: one flat row; null for
 * fields that its status lacks.
 */
export interface StoredRun {
  readonly id: RunId
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly parentRunId: RunId | null
  /** The `task` call that waits for this run; null for a main run and for one spawned by a person. */
  readonly originCallId: CallId | null
  /** 0 for a main run. */
  readonly depth: number
  readonly agent: string
  /** `provider/model`. */
  readonly model: string
  readonly description: string
  readonly background: boolean
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly waitingFor: WaitingFor | null
  readonly endReason: EndReason | null
  /**
   * Attempts since it was started or continued: 1, plus one for each process that exited while it ran (invariant R7).
   */
  readonly attempt: number
  /** Number of stops: each is reported once. */
  readonly stopNo: number
  readonly limits: RunLimits
  /** null: `noSetup`. */
  readonly setup?: RunSetup | null
  readonly turns: number
  /** Only calls that ran: not denied or skipped ones. */
  readonly toolCalls: number
  readonly usage: Usage
  /** null while any price is unknown, never 0 instead. */
  readonly costUsd: number | null
  readonly lastAction: LastAction | null
  /** The message with the report, or its last part; null: none. */
  readonly reportMessageId: MessageId | null
  /** For a report joined from several messages: the first one; null: it is one message. */
  readonly partialFrom?: MessageId | null
  /** Why there is no report, or a remark about it. */
  readonly reportNote: string | null
  /** How its last answer ended; null: none, or a row of an older program. */
  readonly finishReason?: FinishReason | null
  /** The value in its report that satisfies the required schema; null: none. */
  readonly output?: Json | null
  readonly error: RunError | null
  /** Whether its report is discarded, because the message that started it asked for that. */
  readonly unreported?: boolean | null
  /** Who asked it to pause at its next boundary; cleared when it stops. */
  readonly pausing?: 'user' | 'parent' | null
  readonly queuedAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
}

/** Fields that depend on the status of a run. */
type OfStatus =
  | 'status'
  | 'reason'
  | 'waitingFor'
  | 'endReason'
  | 'error'
  | 'pausing'
  | 'startedAt'
  | 'endedAt'

/** Fields that a run has in every status. */
export type RunFacts = Omit<StoredRun, OfStatus>

interface OpenRun extends RunFacts {
  readonly endReason: null
  readonly error: null
  readonly pausing: 'user' | 'parent' | null
  readonly endedAt: null
}

export interface QueuedRun extends OpenRun {
  readonly status: 'queued'
  readonly reason: null
  /** The budget that it waits for before it asks for a slot. null: it waits for a slot. */
  readonly waitingFor: WaitingFor | null
  /** Set if it has run before. */
  readonly startedAt: number | null
}

export interface RunningRun extends OpenRun {
  readonly status: 'running'
  readonly reason: null
  readonly waitingFor: null
  readonly startedAt: number
}

export interface WaitingRun extends OpenRun {
  readonly status: 'waiting'
  readonly reason: WaitReason
  readonly waitingFor: WaitingFor
  readonly startedAt: number
}

interface StoppedRun extends RunFacts {
  readonly waitingFor: null
  readonly pausing: null
  /** null: it stopped before it had a slot. */
  readonly startedAt: number | null
  readonly endedAt: number
}

export interface PausedRun extends StoppedRun {
  readonly status: 'paused'
  readonly reason: PauseReason
  readonly endReason: PauseEnd
  readonly error: null
}

export interface CompletedRun extends StoppedRun {
  readonly status: 'completed'
  readonly reason: null
  readonly endReason: 'done'
  readonly error: null
}

export interface FailedRun extends StoppedRun {
  readonly status: 'failed'
  readonly reason: null
  readonly endReason: 'error'
  readonly error: RunError
}

export interface CancelledRun extends StoppedRun {
  readonly status: 'cancelled'
  readonly reason: null
  readonly endReason: CancelEnd
  readonly error: null
}

/**
 * A run as this process works with it: a row whose fields fit its status. It can be stored, sent and exported without
 * conversion; only `parseRun` turns a row into one.
 */
export type Run = QueuedRun | RunningRun | WaitingRun | PausedRun | CompletedRun | FailedRun | CancelledRun

export type ToolCallStatus =
  | 'pending'
  | 'awaiting_approval'
  | 'running'
  | 'completed'
  | 'failed'
  | 'denied'
  | 'skipped'
  | 'unknown'

/** Statuses of calls that ran: not waiting, denied or skipped ones. */
export const ranStatuses = ['running', 'completed', 'failed', 'unknown'] as const satisfies ToolCallStatus[]

/** The journal of one call: the intent before the effect, the outcome after it. Its parts hold input and output. */
export interface ToolCall {
  readonly id: CallId
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly messageId: MessageId
  /** The part that holds the input. */
  readonly partId: PartId
  /** The part that holds the output; null until there is one. */
  readonly resultPartId: PartId | null
  readonly tool: string
  readonly title: string
  readonly status: ToolCallStatus
  /** Whether it may run again after a crash: declared read-only or idempotent. */
  readonly repeatable: boolean
  readonly exitCode: number | null
  readonly error: RunError | null
  /** What the tool recorded (receipt.ts); null: nothing. */
  readonly facts?: readonly Fact[] | null
  readonly startedAt: number
  readonly endedAt: number | null
}

export type ApprovalAnswer = 'once' | 'run' | 'always' | 'deny'

/** An approval and its answer. It belongs to the conversation, whatever depth it comes from. */
export interface Approval {
  readonly id: ApprovalId
  /** Its number for people: 1, 2, 3, ... among all approvals and questions of the conversation. Never reused. */
  readonly number: number
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly callId: CallId
  readonly tool: string
  readonly title: string
  /** The exact command, diff or path. */
  readonly detail: string
  readonly directory: string
  /** Agents from the root to the asking one. */
  readonly path: readonly string[]
  /** The rule that asked, as text. */
  readonly rule: string
  readonly answer: ApprovalAnswer | null
  readonly answeredBy: string | null
  readonly note: string | null
  readonly requestedAt: number
  readonly answeredAt: number | null
  /** What "run" and "always" grant, as shown; null: it can only be allowed once. */
  readonly offered?: { readonly tool: string; readonly pattern?: string } | null
  /** What the command can reach when it was last asked; null: it is no command, or an older program asked. */
  readonly sandbox?: CommandSandbox | null
}

/** A question of a run to a person (`ask_user`), and its answer. Like an approval, it belongs to the conversation. */
export interface Question {
  readonly id: QuestionId
  /** Numbered like an approval. */
  readonly number: number
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly callId: CallId
  readonly question: string
  /** Suggested answers; any other text is allowed too. */
  readonly options: readonly string[]
  /** Agents from the root to the asking one. */
  readonly path: readonly string[]
  /** null: open, or closed without an answer. */
  readonly answer: string | null
  /** Who answered, or what closed it. */
  readonly answeredBy: string | null
  readonly askedAt: number
  /** null: open. */
  readonly answeredAt: number | null
}
