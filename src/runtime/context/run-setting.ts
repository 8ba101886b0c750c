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
  /** What the conversation may spend while it is driven, US dollars; default: `limits.budgetUsd`. */
  readonly budgetUsd?: number | undefined
  /** What the program says about the conversation, for its own tools; default: as the last run of the branch has it. */
  readonly context?: Json | undefined
  /** Called when what a person starts there is stored and nothing of it has happened: a subscriber misses no event. */
  readonly onStored?: ((id: ConversationId) => void) | undefined
}
