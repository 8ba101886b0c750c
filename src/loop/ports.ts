import type { JsonSchema } from '../core/agent.ts'
import type { ContextMessage } from '../core/build-context.ts'
import type { Clock } from '../core/clock.ts'
import type { DenialReason } from '../core/denial-reason.ts'
import type { AnswerText } from '../core/report/answer-texts.ts'
import type { FinishReason } from '../core/finish-reason.ts'
import type { CallId, MessageId, NewId, PartId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Part, ToolCallPart, ToolOutput, ToolResultPart, ToolResultStatus } from '../core/message.ts'
import type { RunError, RunLimits, WaitingFor } from '../core/run.ts'
import type { SecretMask } from '../core/secrets/mask.ts'
import type { Usage } from '../core/usage.ts'
import type { AnswerEnd } from '../model/answer-end.ts'
import type { Gate } from '../model/gate.ts'
import type { Model, ModelRequest, Price } from '../model/port.ts'
import type { AnyTool, Subject, ToolContext, ToolError } from '../tools/port.ts'
import type { EndedPair } from './repeats.ts'

/** Dependencies of the loop. It opens nothing, has no clock of its own, and asks nobody directly. */
export interface LoopPorts {
  readonly model: Model
  /** Gate of the model's provider: every request of every run passes it. */
  readonly gate: Gate
  /** The tools of this agent, by all their names. */
  readonly tools: ToolSet
  readonly journal: Journal
  /** Decides one call; waits for a person if the rules say `ask` and somebody can answer. */
  readonly permit: (request: PermitRequest) => Promise<Permit>
  readonly toolContext: (callId: CallId, emit: (text: string) => void) => ToolContext
  readonly clock: Clock
  readonly newId: NewId
  /** 0 ≤ x < 1, for the jitter of retries. */
  readonly random: () => number
  readonly signal: AbortSignal
  /** Masks secrets in live output, and keys in tool results; default: known formats. */
  readonly secrets?: Pick<SecretMask, 'stream' | 'keys'>
  /** Called between turns: throws a stop reason if the run must not continue. */
  readonly beforeTurn: () => void
  /**
   * Called for an answer without calls: new input to read before the run ends. May wait for subagents. Afterwards,
   * `untilSlot` says when the run may continue. `report`: the report if it ended now.
   */
  readonly beforeEnd: (report: Report) => Promise<readonly ContextMessage[]>
  /**
   * Only calls that wait for subagents are left of a turn: marks the run as waiting and frees its slot. Afterwards,
   * `untilSlot` says when the run may continue.
   */
  readonly whileChildrenRun: <T>(calls: Promise<T>) => Promise<T>
  /** Resolves when the run has a slot again. Rejects with a stop reason. */
  readonly untilSlot: () => Promise<void>
  /**
   * The result of a call that an earlier attempt started and that must not start again, once there is one. undefined:
   * it is decided and run like any other.
   */
  readonly resume?: (part: ToolCallPart) => Promise<ToolResultPart> | undefined
  /** The schema that the answer to a request has to satisfy as a whole; absent: it may be any text. */
  readonly answerSchema?: (request: AskedFor) => JsonSchema | undefined
  readonly budget: BudgetPort
  /**
   * The next request has this many tokens, and the context window is nearly full: summarises the oldest turns and
   * returns the new context. `isRefused`: the provider rejected the request as too long. Rejects with a stop reason.
   * Absent: never summarises.
   */
  readonly compact?: (tokens: number, isRefused?: boolean) => Promise<Compacted>
  /** Stops this run from within: its own watchdog or time limit. Aborts `signal` with that reason. */
  readonly stop: (reason: OwnStop) => void
  /** Receives a function that returns the run's remaining time in milliseconds; null: no limit. */
  readonly timed?: (leftMs: () => number | null) => void
}

export type OwnStop = 'stall' | 'timeout'

/** What of a request says whether its answer can be another thing than the report. */
export type AskedFor = Pick<ModelRequest, 'tools' | 'toolChoice'>

/** What a run and its whole conversation may spend. Both answer from memory: they are called at every request. */
export interface BudgetPort {
  /** Called between turns: why no further request may be made. */
  reached(): Reached | undefined
  /** Called before each request: holds its maximum cost until it is released. */
  ask(estimate: RequestEstimate): ReservationResult
  /** Receives each answer before it is stored. */
  spend(answer: Pick<Answer, 'usage' | 'costUsd'>): void
}

/** A request about to be made. */
export interface RequestEstimate {
  /** Tokens, estimated. */
  readonly input: number
  /** Longest possible answer of the model in tokens; null: unknown. */
  readonly maxOutput: number | null
  /** null: unknown, so that only tokens are counted. */
  readonly price: Price | null
}

/**
 * Why a request may not be made, what to wait for before asking again, or the longest allowed answer if shorter than
 * the model's maximum.
 */
export type ReservationResult =
  | Reached
  /** `held`: who holds the missing budget, as text. */
  | { readonly until: Promise<void>; readonly held: string }
  | { readonly maxOutputTokens?: number; readonly release: () => void }

/** A reached cap of tokens or money, with the figures as text. */
export interface Reached {
  readonly why: 'budget' | 'max_tokens'
  readonly note: string
}

export interface ToolSet {
  get(name: string): AnyTool | undefined
  list(): readonly AnyTool[]
  /** Why an existing tool is not available to this run, for a name unknown to `get`. */
  refusal?(name: string): ToolError | undefined
  /** The inner calls of one of the model's calls. Absent: itself alone. */
  expand?(call: ToolCallPart, newId: NewId): readonly ToolCallPart[]
}

export interface RunInput {
  readonly agent: string
  readonly depth: number
  /** What the model sees, ending with the input to answer. */
  readonly context: readonly ContextMessage[]
  /** Turns of earlier attempts. */
  readonly turns: number
  /** The provider's count for the last answer in the context. */
  readonly measured?: Usage | undefined
  /** Leftovers of earlier attempts, if any. */
  readonly left?: Left
  readonly limits: RunLimits
  /** Number of consecutive equal calls with equal results before a reminder; the next such call ends the run. */
  readonly maxIdenticalCalls: number
}

export interface Left {
  /** The last answer with unfinished work. The context ends before it. */
  readonly open: Answer | undefined
  /** Texts of its turns, oldest first. */
  readonly texts: readonly TurnText[]
  /** The last calls before that answer, with results, to detect a circle across a restart. */
  readonly lastCalls?: readonly EndedPair[]
  /** Its last text was cut, and it was told to continue there. */
  readonly goesOn?: boolean
  /** For a fork: its origin message. */
  readonly origin?: MessageId | null
}

/** The text of one turn; null: of an earlier run. */
export interface TurnText extends AnswerText {
  readonly turn: number | null
  /** For the first text of a fork that continues its cut origin answer: that answer. */
  readonly after?: MessageId
}

export interface Answer {
  readonly messageId: MessageId
  /** Turns used, including this one; a concluding answer is not a turn. */
  readonly turn: number
  readonly parts: readonly Part[]
  readonly usage: Usage
  /** null: the price is unknown. */
  readonly costUsd: number | null
  readonly end: AnswerEnd
}

export interface StartedCall {
  readonly part: ToolCallPart
  readonly tool: AnyTool
  readonly title: string
  readonly input: unknown
}

export interface EndedCall {
  readonly part: ToolCallPart
  readonly title: string
  readonly status: ToolResultStatus
  /** Unbounded: the journal stores what is too large for the model as an artifact. */
  readonly output: ToolOutput
  readonly exitCode: number | null
  readonly error: RunError | null
}

/**
 * The durable side of a run, declared by its user. Writes take effect in call order; a promise settles when its write
 * is stored. An effect starts only after `callStarted` settled (invariant R1); a call without effects need not wait.
 */
export interface Journal {
  /** The first piece of an answer arrived. */
  messageStarted(messageId: MessageId): void
  /** The streaming answer so far; the journal stores it at intervals. */
  messagePartial(messageId: MessageId, parts: readonly Part[]): void
  /** The request was cut: its text is kept for people only (invariant R3). */
  messageInterrupted(messageId: MessageId, parts: readonly Part[]): Promise<void>
  messageCompleted(answer: Answer): Promise<void>
  /** @throws ToolError if the call cannot start; it becomes a failed result. */
  callStarted(call: StartedCall): Promise<void>
  /** Returns the result for the model: bounded, with a pointer to the rest. */
  callEnded(call: EndedCall): Promise<ToolResultPart>
  /** A message of the runtime to the model: a user message that no person wrote. */
  instruct(text: string): Promise<ContextMessage>
  /** Also called when the reason changes. A run that waits for budget frees its slot. */
  waiting(reason: 'retry', waitingFor: WaitingFor): Promise<void>
  /** Afterwards, `untilSlot` says when the run may continue. */
  resumed(): Promise<void>
  /** Input for this run since the last boundary, oldest first. */
  steers(): Promise<readonly ContextMessage[]>
}

export interface PermitRequest {
  /** What a person is shown: the exact command, path, text or diff. Computed only if somebody is asked. */
  readonly detail: () => string | Promise<string>
  readonly part: ToolCallPart
  readonly tool: AnyTool
  /** As the tool receives it. */
  readonly input: unknown
  readonly title: string
  readonly subjects: readonly Subject[]
}

/** `unattended`: the rules ask, and nobody can answer. */
export type Permit =
  | { readonly allowed: true }
  | {
      readonly allowed: false
      readonly code: 'denied' | 'unattended' | 'interrupted'
      readonly reason: DenialReason
      readonly why: string
    }

/** The context with its summary, or why there is none; null: nothing could be left out. */
export type Compacted = { readonly context: readonly ContextMessage[] } | { readonly why: string | null }

/** Live facts: shown, not stored. */
export type LiveEvent =
  | {
      readonly type: 'part.started'
      readonly messageId: MessageId
      readonly partId: PartId
      readonly kind: Part['type']
    }
  | {
      readonly type: 'part.delta'
      readonly messageId: MessageId
      readonly partId: PartId
      readonly kind: 'text' | 'reasoning'
      readonly text: string
      /** Number of characters before this delta. */
      readonly offset: number
    }
  | { readonly type: 'tool.output'; readonly callId: CallId; readonly text: string }

export type Emit = (event: LiveEvent) => void

/** How a run stopped, as far as the loop knows: the owner of the signal knows who aborted it, and why. */
export type Outcome =
  | ({ readonly type: 'completed' } & Ended)
  | ({ readonly type: 'limit'; readonly why: 'max_turns' | 'stall' | CutReason | Reached['why'] } & Ended)
  | ({ readonly type: 'stopped'; readonly reason: unknown } & Ended)
  | ({ readonly type: 'failed'; readonly error: RunError } & Ended)

interface Ended {
  readonly report: Report
  /** How the last answer of the run ended; absent: no answer ended it. */
  readonly finishReason?: FinishReason
}

/** A cut answer ends the run: its text is not a conclusion. */
export type CutReason = Extract<FinishReason, 'max_output_tokens' | 'context_window'>

export interface Report {
  /** The message with the report, or its last part; null without any text. */
  readonly messageId: MessageId | null
  /** For a report joined from several messages: the first one. */
  readonly partialFrom?: MessageId
  readonly text: string
  /** For a partial report: the text of its last message only. */
  readonly lastText?: string
  /** Remark: it is partial, or why there is none. */
  readonly note: string | null
  /** The value in it that satisfies the required schema. */
  readonly output?: Json
  /** What its parent reads instead. */
  readonly summary?: string
}
