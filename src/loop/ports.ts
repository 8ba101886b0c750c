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
import type { ProjectNotes } from '../core/workspace-facts.ts'
import type { AnswerEnd } from '../model/answer-end.ts'
import type { Gate } from '../model/gate.ts'
import type { Model, ModelRequest, Price } from '../model/port.ts'
import type { AnyTool, Subject, ToolContext, ToolError } from '../tools/port.ts'
import type { EndedPair } from './repeats.ts'

/** What the loop is given to work with. It opens nothing, reads no clock of its own, and asks nobody directly. */
export interface LoopPorts {
  readonly model: Model
  /** Of the model's provider: every request of every run passes it. */
  readonly gate: Gate
  /** The tools of this agent, by every name under which it may call them. */
  readonly tools: ToolSet
  readonly journal: Journal
  /** Decides one call; waits for a person where the rules say `ask` and somebody can answer. */
  readonly permit: (request: PermitRequest) => Promise<Permit>
  readonly toolContext: (callId: CallId, emit: (text: string) => void) => ToolContext
  /** The notes of a directory that the model reads with the result of this call, which has ended. Absent: none. */
  readonly notes?: (callId: CallId) => ProjectNotes | undefined
  readonly clock: Clock
  readonly newId: NewId
  /** 0 ≤ x < 1, for the jitter of retries. */
  readonly random: () => number
  readonly signal: AbortSignal
  /** Masks secrets in what is told live, and keys in what tools return; absent: those that are known by their shape. */
  readonly secrets?: Pick<SecretMask, 'stream' | 'keys'>
  /** Asked between turns: throws the reason of a stop where the run is to go no further. */
  readonly beforeTurn: () => void
  /**
   * The answer has no calls: what has come meanwhile and is to be read before the run ends. May wait for subagents.
   * Afterwards `untilSlot` says when the run may go on. `report` is what it would end with.
   */
  readonly beforeEnd: (report: Report) => Promise<readonly ContextMessage[]>
  /**
   * What is left of a turn are calls that wait for subagents: the run says so, and gives its slot to others. Afterwards
   * `untilSlot` says when the run may go on.
   */
  readonly whileChildrenRun: <T>(calls: Promise<T>) => Promise<T>
  /** Resolves when the run has a slot again. Rejects with the reason of a stop. */
  readonly untilSlot: () => Promise<void>
  /**
   * Of a call that an earlier attempt began and that is not to begin again: its result, as soon as there is one. undefined:
   * it is decided and run as any other.
   */
  readonly resume?: (part: ToolCallPart) => Promise<ToolResultPart> | undefined
  /** Which schema the text that ends the run has to satisfy as a whole; absent: it may be any text. */
  readonly answerForm?: (request: AskedFor) => AskedForm
  readonly budget: BudgetPort
  /**
   * The next request has so many tokens, and the window is nearly full: makes the oldest turns a summary, and returns the
   * context with it. `isRefused`: the provider does not take as many, whatever is known of the window. Rejects with the
   * reason of a stop. Absent: it is never done.
   */
  readonly compact?: (tokens: number, isRefused?: boolean) => Promise<Compacted>
  /** Stops this run from within: its own watchdog or time limit. Aborts `signal` with that reason. */
  readonly stop: (reason: OwnStop) => void
  /** Told at the start how to ask for the time that the run has left, in milliseconds; null: without a limit. */
  readonly timed?: (leftMs: () => number | null) => void
}

export type OwnStop = 'stall' | 'timeout'

/** What of a request says whether its answer can be another thing than the report. */
export type AskedFor = Pick<ModelRequest, 'tools' | 'toolChoice'>

/** The form of the report in a request. */
export type AskedForm = Pick<ModelRequest, 'answerSchema' | 'callsFirst'>

/** What a run and its whole conversation may spend. Both answer from memory: they are called at every request. */
export interface BudgetPort {
  /** Asked between turns: why no request may be made any more. */
  reached(): Reached | undefined
  /** Asked before each request: what it may cost at most is held until it is released. */
  ask(estimate: RequestEstimate): ReservationResult
  /** Told of each answer, before it is stored. */
  spend(answer: Pick<Answer, 'usage' | 'costUsd'>): void
}

/** A request that is about to be made. */
export interface RequestEstimate {
  /** Tokens, estimated. */
  readonly input: number
  /** The largest answer of the model in tokens; null where it is not known. */
  readonly maxOutput: number | null
  /** null: unknown, so that tokens alone are counted. */
  readonly price: Price | null
}

/** Why a request may not be made; or what to wait for before asking again; or how long its answer may be, if not as long as the model can. */
export type ReservationResult =
  | Reached
  /** `held`: who holds what is lacking, in words. */
  | { readonly until: Promise<void>; readonly held: string }
  | { readonly maxOutputTokens?: number; readonly release: () => void }

/** A cap of tokens or money that has been reached, with the figures in words. */
export interface Reached {
  readonly why: 'budget' | 'max_tokens'
  readonly note: string
}

export interface ToolSet {
  get(name: string): AnyTool | undefined
  list(): readonly AnyTool[]
  /** Of a name that `get` does not know: why a tool that exists is not for this run. */
  refusal?(name: string): ToolError | undefined
  /** The calls for which one of the model stands. Absent: itself alone. */
  expand?(call: ToolCallPart, newId: NewId): readonly ToolCallPart[]
}

export interface RunInput {
  readonly agent: string
  readonly depth: number
  /** What the model sees, ending with what it has to answer. */
  readonly context: readonly ContextMessage[]
  /** Turns that earlier attempts used. */
  readonly turns: number
  /** What the provider counted of the last answer in the context. */
  readonly measured?: Usage | undefined
  /** What earlier attempts left, where there were any. */
  readonly left?: Left
  readonly limits: RunLimits
  /** How often in a row the same calls may have the same results before it is told; the next such call ends it. */
  readonly maxIdenticalCalls: number
}

export interface Left {
  /** The last answer, of which something is still to be done. The context ends before it. */
  readonly open: Answer | undefined
  /** The texts of its turns, the oldest first. */
  readonly texts: readonly TurnText[]
  /** The last calls before that answer, with their results: what a process that exited left of a circle. */
  readonly lastCalls?: readonly EndedPair[]
  /** Its last text was cut, and it has been told to go on there. */
  readonly goesOn?: boolean
  /** Its branch was made at this message, as a fork. */
  readonly origin?: MessageId | null
}

/** The text of one turn; null: of an earlier run. */
export interface TurnText extends AnswerText {
  readonly turn: number | null
  /** Of the first of a fork that goes on where the answer was cut at which it was made: that answer. */
  readonly after?: MessageId
}

export interface Answer {
  readonly messageId: MessageId
  /** Turns used with this one; a concluding answer is none. */
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
  /** Unbounded: the journal keeps what is too large for the model as an artifact. */
  readonly output: ToolOutput
  readonly exitCode: number | null
  readonly error: RunError | null
}

/**
 * The durable side of a run, declared by its user. Writes take effect in the order of the calls; a promise settles when
 * its write is on disk. An effect begins only after `callStarted` settled (invariant R1); a call without effects need
 * not wait.
 */
export interface Journal {
  /** The first piece of an answer came. */
  messageStarted(messageId: MessageId): void
  /** What a streaming answer holds so far; the journal stores it now and then. */
  messagePartial(messageId: MessageId, parts: readonly Part[]): void
  /** The request was cut: its text is kept for people only (invariant R3). */
  messageInterrupted(messageId: MessageId, parts: readonly Part[]): Promise<void>
  messageCompleted(answer: Answer): Promise<void>
  /** @throws ToolError when the call cannot begin; it becomes a failed result. */
  callStarted(call: StartedCall): Promise<void>
  /** Returns the result as the model will read it: bounded, with a pointer to the rest. */
  callEnded(call: EndedCall): Promise<ToolResultPart>
  /** Something the runtime tells the model: a user message that no person wrote. */
  instruct(text: string): Promise<ContextMessage>
  /** Also said again, when what is waited for has changed. A run that waits for budget gives its slot to others. */
  waiting(reason: 'retry', waitingFor: WaitingFor): Promise<void>
  /** Afterwards `untilSlot` says when the run may go on. */
  resumed(): Promise<void>
  /** What was said to this run since the last boundary, oldest first. */
  steers(): Promise<readonly ContextMessage[]>
}

export interface PermitRequest {
  /** What a person is shown: the exact command, path, text or diff. Made only when somebody is asked. */
  readonly detail: () => string | Promise<string>
  readonly part: ToolCallPart
  readonly tool: AnyTool
  /** As the tool gets it. */
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

/** The context with its summary, or why there is none; null: there was nothing to leave out. */
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
      /** Characters of the part that came before. */
      readonly offset: number
    }
  | { readonly type: 'tool.output'; readonly callId: CallId; readonly text: string }

export type Emit = (event: LiveEvent) => void

/** How a run stopped, as far as the loop knows: who aborted the signal, and why, its owner knows. */
export type Outcome =
  | ({ readonly type: 'completed' } & Ended)
  | ({ readonly type: 'limit'; readonly why: 'max_turns' | 'stall' | CutReason | Reached['why'] } & Ended)
  | ({ readonly type: 'stopped'; readonly reason: unknown } & Ended)
  | ({ readonly type: 'failed'; readonly error: RunError } & Ended)

interface Ended {
  readonly report: Report
  /** How the answer ended that ended the run; absent: no answer did. */
  readonly finishReason?: FinishReason
}

/** An answer that was cut ends the run: what there is of it is no conclusion. */
export type CutReason = Extract<FinishReason, 'max_output_tokens' | 'context_window'>

export interface Report {
  /** The message whose text is the report, or the last of them; null when there is no text at all. */
  readonly messageId: MessageId | null
  /** Of a report that is put together of several messages: the first of them. */
  readonly partialFrom?: MessageId
  readonly text: string
  /** Of a partial report: the text of its last message alone. */
  readonly lastText?: string
  /** What must be said about it: that it is partial, or why there is none. */
  readonly note: string | null
  /** The value in it that satisfies the schema which it had to. */
  readonly output?: Json
  /** What its parent reads in its place. */
  readonly summary?: string
}
