import type { ConversationId, MessageId } from '../../core/ids.ts'
import type { Message } from '../../core/message.ts'
import type { Mode } from '../../permissions/modes.ts'

/** What the stream says that no event says. */
export interface StreamFacts {
  readonly conversationId: ConversationId
  readonly directory: string
  /** Of the main run: `provider/model`. */
  readonly model: string
  /** Names of the tools that the main run is offered. */
  readonly tools: readonly string[]
  /** Names of the agents that can be started. */
  readonly agents: readonly string[]
  readonly mode: Mode
  /** Of this program. */
  readonly version: string
  readonly newUuid: () => string
  /** A stored message: what its request measured, and the run that wrote it (null: a person). */
  readonly message: (id: MessageId) => Pick<Message, 'usage' | 'runId'> | undefined
}
