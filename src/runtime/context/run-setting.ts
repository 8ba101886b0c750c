import type { AgentRegistry } from '../../agents/registry.ts'
import type { Registry } from '../../tools/registry.ts'
import type { Json } from '../../core/json.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Scope } from './scope.ts'

/** What the runs of a conversation work with. */
export interface RunSetting extends Pick<Scope, 'workspace' | 'systemText'> {
  /** Those of this conversation; default: those of the runtime. */
  readonly agents?: AgentRegistry | undefined
  readonly tools?: Registry | undefined
  /** Budget of the conversation while it is driven, US dollars; default: `limits.budgetUsd`. */
  readonly budgetUsd?: number | undefined
  /** The chat's `context` for custom tools; default: that of the last run of the branch. */
  readonly context?: Json | undefined
  /** Called when a person's start is stored and before it runs, so that a subscriber misses no event. */
  readonly onStored?: ((id: ConversationId) => void) | undefined
}
