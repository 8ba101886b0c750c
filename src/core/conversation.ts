import type { JsonSchema } from './agent.ts'
import type { BranchId, CallId, ConversationId, MessageId } from './ids.ts'

export interface Conversation {
  readonly id: ConversationId
  /** What people call it in its store: 1, 2, 3, ... null: it was repaired. */
  readonly number?: number | null
  /** The workspace: an absolute path. */
  readonly directory: string
  readonly title: string
  /** Budget set by the last process that drove it; null: no cap. */
  readonly budget?: ConversationBudget | null
  /** The mode set last (permissions/modes.ts); null: none. */
  readonly mode?: string | null
  /** The sandbox setting named last (config/sandbox-setting.ts); null: none. */
  readonly sandbox?: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Caps of a whole conversation. */
export interface ConversationBudget {
  /** US dollars; null: no cap. */
  readonly usd: number | null
  readonly tokens: number
}

/** Readers must accept unknown kinds. */
export type BranchKind = 'main' | 'fork' | 'subagent'

/**
 * An ordered list of messages with its own head. A fork starts at any message of any branch and sees what came before;
 * a subagent's branch starts at the assistant message whose tool call spawned it, and by default sees only itself.
 */
export interface Branch {
  readonly id: BranchId
  readonly conversationId: ConversationId
  /** What people call it in its conversation: 0 is the main branch. null: it was repaired. */
  readonly number?: number | null
  readonly kind: BranchKind
  /** Whether the model sees the parent branch up to and including the origin message. */
  readonly inheritContext: boolean
  /** null only for a main branch. */
  readonly parentBranchId: BranchId | null
  /** null for a main branch, and for a subagent that a person spawned in an empty conversation. */
  readonly originMessageId: MessageId | null
  readonly originToolCallId: CallId | null
  /** The agent that works on this branch. */
  readonly agent: string
  /** 3 to 5 words for people. */
  readonly label: string
  /** For a subagent: the schema that the report of each of its runs must satisfy. */
  readonly outputSchema?: JsonSchema | null
  readonly createdAt: number
  readonly updatedAt: number
}
