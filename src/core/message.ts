import type { ArtifactId, BranchId, CallId, MessageId, PartId, RunId } from './ids.ts'
import type { Json } from './json.ts'
import type { ReportFacts, SubagentAnswer } from './report-facts.ts'
import type { Usage } from './usage.ts'
import type { ProjectNotes } from './workspace-facts.ts'

export type Role = 'system' | 'user' | 'assistant' | 'tool'

/** `interrupted`: the partial text of a cut request; kept for people, never sent to the model again (invariant R3). */
export type MessageState = 'streaming' | 'complete' | 'interrupted'

/** Data that a provider needs back unchanged (signatures of reasoning, its own ids). */
export type ProviderMetadata = { readonly [provider: string]: { readonly [key: string]: Json | undefined } }

export interface FileData {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
  readonly filename?: string
}

/** A bounded tool output; the artifact holds the full output of a larger one. */
export interface ToolOutput {
  /** Shown to people, and to the model unless it is about a subagent. */
  readonly text: string
  /** What the text reports about a subagent: the model reads both in an envelope (report/report-envelope.ts). */
  readonly subagent?: SubagentAnswer
  /** Of the directory of the file that the call was about: the model reads them behind the text, in an envelope too. */
  readonly notes?: ProjectNotes
  readonly files?: readonly FileData[]
  readonly artifactId?: ArtifactId
}

/** How a call ended. `unknown`: it was running when its process died (invariant R2). */
export type ToolResultStatus = 'completed' | 'failed' | 'denied' | 'skipped' | 'unknown'

/** An agent that wrote to another one. */
export interface AgentAuthor {
  readonly agent: string
  /** The branch on which it works. */
  readonly branchId: BranchId
}

/** Authors without a branch. `unknown`: an agent whose run is not known here, or an unidentified sender. */
export const plainAuthors = ['person', 'runtime', 'unknown'] as const

/** Author of a text for an agent: a person (or a program acting for one), the runtime, or another agent. */
export type Author = (typeof plainAuthors)[number] | AgentAuthor

export interface TextPart {
  readonly id: PartId
  readonly type: 'text'
  readonly text: string
  /** For text in a user message. Absent: an older program kept no record of it. */
  readonly author?: Author
  /** For a summary in a user message: the last message that it covers (compaction-plan.ts). */
  readonly summaryOf?: MessageId
  readonly metadata?: ProviderMetadata
}

export interface ReasoningPart {
  readonly id: PartId
  readonly type: 'reasoning'
  readonly text: string
  readonly metadata?: ProviderMetadata
}

export interface ToolCallPart {
  readonly id: PartId
  readonly type: 'tool-call'
  readonly callId: CallId
  readonly tool: string
  /** Parsed arguments; if the model sent invalid JSON, `{}` here and the text in `invalid`. */
  readonly input: Json
  readonly invalid?: string
  /** Position in the `use_tool` call that contained it, and the toolset that the model named. */
  readonly via?: { readonly index: number; readonly toolset?: string }
  readonly metadata?: ProviderMetadata
}

export interface ToolResultPart {
  readonly id: PartId
  readonly type: 'tool-result'
  readonly callId: CallId
  readonly tool: string
  readonly status: ToolResultStatus
  readonly output: ToolOutput
}

export interface FilePart {
  readonly id: PartId
  readonly type: 'file'
  readonly file: FileData
}

/** A delivered subagent report: its text, and what the runtime knows about it. */
export interface ReportPart {
  readonly id: PartId
  readonly type: 'report'
  readonly text: string
  readonly report: ReportFacts
}

/** A message of the runtime to the person; never sent to the model. */
export interface NoticePart {
  readonly id: PartId
  readonly type: 'notice'
  readonly text: string
  readonly branchId?: BranchId
  /** The part whose text a repair found altered; the model is told too. */
  readonly damaged?: PartId
  /** For the card of a subagent started by a person. */
  readonly deliver?: Deliver
}

/**
 * Delivery of the report of a subagent that a person started (invariant D4): it wakes the idle agent above it, or is
 * announced and added to that agent's context without a turn, or both.
 */
export const delivers = ['wake', 'announce', 'both'] as const
export type Deliver = (typeof delivers)[number]

export type Part =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | FilePart
  | ReportPart
  | NoticePart

/** A text for an agent, with its author. */
export type Said = Required<Pick<TextPart, 'text' | 'author'>>

/** Content of a new user message: each text names its author. */
export type SaidPart = (TextPart & Said) | ReportPart | FilePart | NoticePart

export interface Message {
  readonly id: MessageId
  readonly branchId: BranchId
  /** 0, 1, 2, ...: the order within its branch. */
  readonly position: number
  readonly role: Role
  readonly state: MessageState
  readonly parts: readonly Part[]
  /** The run that wrote it; null for messages from outside a run. Author: `authorOf`. */
  readonly runId: RunId | null
  /** For an assistant message: figures of its request. */
  readonly usage: Usage | null
  readonly createdAt: number
}

/**
 * Author of a text in a user message. null: unknown, because an older program kept no record of texts written in a run.
 */
export function authorOf(
  { author }: Pick<TextPart, 'author'>,
  { runId }: Pick<Message, 'runId'>,
): Author | null {
  return author ?? (runId === null ? 'person' : null)
}

/** Author of the texts of a user message; undefined: it has none. */
export function authorOfMessage(message: Pick<Message, 'parts' | 'runId'>): Author | null | undefined {
  const text = message.parts.find((part) => part.type === 'text')
  return text && authorOf(text, message)
}

/** The author of a text for people: `User`, `Runtime`, `main (agent)`. */
export function authorWords(
  author: Exclude<Author, AgentAuthor> | Pick<AgentAuthor, 'agent'> | null,
): string {
  if (author === null) return 'Instruction'
  if (typeof author === 'object') return `${author.agent} (agent)`
  return PLAIN_WORDS[author]
}

const PLAIN_WORDS = { person: 'User', runtime: 'Runtime', unknown: 'Unknown sender' } as const

/** Name of a compaction summary. The runtime requested it; a model wrote its text. */
export const SUMMARY_WORDS = 'summary of earlier messages, written by a model'

/** The text parts of a message, joined. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The tool calls of a message, in their order. */
export function callsOf(parts: readonly Part[]): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool-call')
}
