import type { Persona, SystemPromptInput } from '../../agents/system-prompt.ts'
import type { ReferenceFile } from '../../agents/workspace-prompt.ts'
import type { AgentDefinition, JsonSchema } from '../../core/agent.ts'
import type { FoundNotes } from '../../project/workspace-facts.ts'

/** Content of a first context that does not follow from the agent. */
export interface FirstContext {
  readonly persona?: Persona | undefined
  readonly files?: readonly ReferenceFile[]
  readonly schemas?: NonNullable<SystemPromptInput['schemas']>
  /** Earlier work of the conversation, oldest first. */
  readonly receipts?: readonly string[]
}

export interface SystemAbout extends FirstContext {
  readonly agent: AgentDefinition
  readonly depth: number
  readonly maxTurns: number
  /** Names of its tools, whether offered directly or learned on demand. */
  readonly tools: readonly string[]
  /** Its directory; null: that of the conversation. */
  readonly directory: string | null
  /** Schema of its report. */
  readonly outputSchema?: JsonSchema | undefined
}

/** What a branch reads about its directory: first the system text of its agent at its depth. */
export interface SystemText {
  (about: SystemAbout): string
  /** Called before: reads the directory that a text describes. Never rejects. */
  prepare?(directory: string | null): Promise<void>
  /** Called when an agent of that directory has read or changed a file: the notes that count there and not in its directory. */
  findNotesFor?(file: string, directory: string | null): FoundNotes | undefined
}
