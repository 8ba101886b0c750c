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

/** What a run waits for, in a form that a person can read (invariant L1). */
export interface WaitingFor {
  readonly what: 'approval' | 'question' | 'children' | 'retry'
  /** Of `retry`: whether others hold the budget; otherwise the provider is waited for. */
  readonly code?: 'budget'
  readonly detail: string
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly until?: number
}

/**
 * What the runs of a conversation in the queue wait for: a slot of the conversation (`limits.maxConcurrent`), or one of its
 * process (`limits.globalConcurrent`), for which other conversations wait too.
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
  /** Of a call that was not let begin: who or what did not. */
  readonly reason?: DenialReason
}

/** The caps of one run, after call, config, definition and default were weighed. */
export type RunLimits = z.infer<typeof runLimitsSchema>

/** What a run was given beside its agent, model and limits. Every later run on the branch has the same. */
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
 * From accepted input to idle, on one branch, as it is stored, sent and exported: one flat row, null where its status
 * has no such value.
 */
export interface StoredRun {
  readonly id: RunId
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly parentRunId: RunId | null
  /** The `task` call that waits for this run; null for a main run and for what a person spawned. */
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
  /** Since it was started or continued: 1, plus one for each process that exited while it ran (invariant R7). */
  readonly attempt: number
  /** How often it stopped: each stop is handed over once. */
  readonly stopNo: number
  readonly limits: RunLimits
  /** null: `noSetup`. */
  readonly setup?: RunSetup | null
  readonly turns: number
  /** Those that ran: not those that were denied or skipped. */
  readonly toolCalls: number
  readonly usage: Usage
  /** null while a price is unknown, never 0 for it. */
  readonly costUsd: number | null
  readonly lastAction: LastAction | null
  /** The message whose text is the report, or the last of them; null while there is none. */
  readonly reportMessageId: MessageId | null
  /** Of a report that is put together of several messages: the first of them; null: it is one message. */
  readonly partialFrom?: MessageId | null
  /** Why there is no report, or what is to be said about it. */
  readonly reportNote: string | null
  /** How its last answer ended; null: it has none, or the row is of an older program. */
  readonly finishReason?: FinishReason | null
  /** The value in its report that satisfies the schema which the report had to; null where there is none. */
  readonly output?: Json | null
  readonly error: RunError | null
  /** Whether its report goes to nobody: who sent it a message asked for that. */
  readonly unreported?: boolean | null
  /** Who has asked it to pause at its next boundary, until it has stopped. */
  readonly pausing?: 'user' | 'parent' | null
  readonly queuedAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
}

/** What depends on the status of a run. */
type OfStatus =
  | 'status'
  | 'reason'
  | 'waitingFor'
  | 'endReason'
  | 'error'
  | 'pausing'
  | 'startedAt'
  | 'endedAt'

/** What a run has in every status. */
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
  /** Others hold the budget that its spawn has named: it asks for no slot before that is free. null: it waits for a slot. */
  readonly waitingFor: WaitingFor | null
  /** Set where it has run before. */
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
 * A run as this process works with it: a row whose values fit its status. Each is a row too, so that nothing has to be
 * converted to store, send or export it; a row becomes one through `parseRun` alone.
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

/** The statuses of a call that ran: not while it waits to, and not where it was denied or skipped. */
export const ranStatuses = ['running', 'completed', 'failed', 'unknown'] as const satisfies ToolCallStatus[]

/** The journal of one call: the intent before the effect, the outcome after it. Input and output are its parts. */
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
  /** What the tool says that it did (receipt.ts); null: nothing that a receipt holds. */
  readonly facts?: readonly Fact[] | null
  readonly startedAt: number
  readonly endedAt: number | null
}

export type ApprovalAnswer = 'once' | 'run' | 'always' | 'deny'

/** One question and its answer. It is addressed to the conversation, whatever depth it comes from. */
export interface Approval {
  readonly id: ApprovalId
  /** What people call it: 1, 2, 3, ... among all that the conversation asks, questions too. Never given twice. */
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
  /** Agents from the root to the one that asks. */
  readonly path: readonly string[]
  /** The rule that asked, in words. */
  readonly rule: string
  readonly answer: ApprovalAnswer | null
  readonly answeredBy: string | null
  readonly note: string | null
  readonly requestedAt: number
  readonly answeredAt: number | null
  /** What "run" and "always" grant, as it was shown; null: it can be answered for this once alone. */
  readonly offered?: { readonly tool: string; readonly pattern?: string } | null
}

/** What a run asks a person in words (`ask_user`), and what it got. Addressed as an approval is. */
export interface Question {
  readonly id: QuestionId
  /** As that of an approval. */
  readonly number: number
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly callId: CallId
  readonly question: string
  /** Answers to choose from; any other text is one too. */
  readonly options: readonly string[]
  /** Agents from the root to the one that asks. */
  readonly path: readonly string[]
  /** null while it is open, and where it was closed without one. */
  readonly answer: string | null
  /** Who answered, or what closed it. */
  readonly answeredBy: string | null
  readonly askedAt: number
  /** null: it is open. */
  readonly answeredAt: number | null
}
