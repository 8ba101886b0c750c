import type { ArtifactId, BranchId, CallId, MessageId, PartId, RunId } from './ids.ts'
import type { Json } from './json.ts'
import type { ReportFacts, SubagentAnswer } from './report-facts.ts'
import type { Usage } from './usage.ts'
import type { ProjectNotes } from './workspace-facts.ts'

export type Role = 'system' | 'user' | 'assistant' | 'tool'

/**
 * `interrupted`: the partial text of a request that was cut; kept for people, never sent to the model again (invariant
 * R3).
 */
export type MessageState = 'streaming' | 'complete' | 'interrupted'

/** Data that a provider wants back unchanged (signatures of reasoning, ids of its own items). */
export type ProviderMetadata = { readonly [provider: string]: { readonly [key: string]: Json | undefined } }

export interface FileData {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
  readonly filename?: string
}

/** A tool's output: bounded; the whole of a larger one is the artifact. */
export interface ToolOutput {
  /** What people read, and the model too where it is about no subagent. */
  readonly text: string
  /** What the text says of a subagent: the model reads both in an envelope (report/report-envelope.ts). */
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

/** Authors without a branch. `unknown`: an agent whose run is not known here, or a sender that cannot be found. */
export const plainAuthors = ['person', 'runtime', 'unknown'] as const

/** Who wrote a text to an agent: a person (or a program in the place of one), the runtime, or another agent. */
export type Author = (typeof plainAuthors)[number] | AgentAuthor

export interface TextPart {
  readonly id: PartId
  readonly type: 'text'
  readonly text: string
  /** Of a text in a user message. Absent: an older program kept no record of it. */
  readonly author?: Author
  /** Of a summary in a user message: the last message that it stands for (compaction-plan.ts). */
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
  /** The parsed arguments; where the model sent something that is not JSON, its text in `invalid` and `{}` here. */
  readonly input: Json
  readonly invalid?: string
  /** It stood in a call of `use_tool`: as which of that one's calls, and in which toolset the model looked for it. */
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

/** A report of a subagent that was delivered: what it wrote, and what the runtime knows of it. */
export interface ReportPart {
  readonly id: PartId
  readonly type: 'report'
  readonly text: string
  readonly report: ReportFacts
}

/** Something the runtime tells the person; not sent to the model. */
export interface NoticePart {
  readonly id: PartId
  readonly type: 'notice'
  readonly text: string
  readonly branchId?: BranchId
  /** The part that has another text than the one that was stored, as a repair has found; the model is told too. */
  readonly damaged?: PartId
  /** Of the card of a subagent that a person started. */
  readonly deliver?: Deliver
}

/**
 * How the report of a subagent that a person started is delivered (invariant D4): it wakes the idle agent above it, or
 * it is announced and added to that agent's context without a turn, or both.
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

/** A text to an agent, and who wrote it. */
export type Said = Required<Pick<TextPart, 'text' | 'author'>>

/** What stands in a user message that is written: each text says who wrote it. */
export type SaidPart = (TextPart & Said) | ReportPart | FilePart | NoticePart

export interface Message {
  readonly id: MessageId
  readonly branchId: BranchId
  /** 0, 1, 2, ... in its branch: the order of the branch. */
  readonly position: number
  readonly role: Role
  readonly state: MessageState
  readonly parts: readonly Part[]
  /** The run in which it was written; null for what came from outside of one. Who wrote it: `authorOf`. */
  readonly runId: RunId | null
  /** Of an assistant message: what its request measured. */
  readonly usage: Usage | null
  readonly createdAt: number
}

/** Who wrote a text in a user message. null: nobody can say; an older program kept no record of what was written in a run. */
export function authorOf(
  { author }: Pick<TextPart, 'author'>,
  { runId }: Pick<Message, 'runId'>,
): Author | null {
  return author ?? (runId === null ? 'person' : null)
}

/** Who wrote the texts of a user message; undefined: it has none. */
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

/** What the summary of a compaction is called. The runtime asked for it; a model wrote its text. */
export const SUMMARY_WORDS = 'summary of what was said before, written by a model'

/** The text parts of a message, joined. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The tool calls of a message, in their order. */
export function callsOf(parts: readonly Part[]): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool-call')
}
