import type { JsonSchema } from './agent.ts'
import type { BranchId, CallId, ConversationId, MessageId } from './ids.ts'

export interface Conversation {
  readonly id: ConversationId
  /** The workspace: an absolute path. */
  readonly directory: string
  readonly title: string
  /** What it may spend, as the process that drove it last had it; null: none has. */
  readonly budget?: ConversationBudget | null
  /** The mode that somebody has named last (permissions/modes.ts); null: nobody has. */
  readonly mode?: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Caps of everything in a conversation together. */
export interface ConversationBudget {
  /** US dollars; null: no cap. */
  readonly usd: number | null
  readonly tokens: number
}

/** Readers tolerate kinds they do not know. */
export type BranchKind = 'main' | 'fork' | 'subagent'

/**
 * An ordered list of messages with its own head. A fork starts at any message of any branch and sees what came before;
 * a subagent's branch starts at the assistant message whose tool call spawned it, and by default sees only itself.
 */
export interface Branch {
  readonly id: BranchId
  readonly conversationId: ConversationId
  readonly kind: BranchKind
  /** Whether the model sees the parent branch up to and including the origin message. */
  readonly inheritContext: boolean
  /** null for a main branch only. */
  readonly parentBranchId: BranchId | null
  /** null for a main branch, and for a subagent that a person spawned into an empty conversation. */
  readonly originMessageId: MessageId | null
  readonly originToolCallId: CallId | null
  /** The agent that works on this branch. */
  readonly agent: string
  /** 3 to 5 words for people. */
  readonly label: string
  /** Of a subagent: what the report of each of its runs has to satisfy. */
  readonly outputSchema?: JsonSchema | null
  readonly createdAt: number
  readonly updatedAt: number
}
