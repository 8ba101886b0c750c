import type { Persona, SystemPromptInput } from '../../agents/system-prompt.ts'
import type { ReferenceFile } from '../../agents/workspace-prompt.ts'
import type { AgentDefinition, JsonSchema } from '../../core/agent.ts'
import type { FoundNotes } from '../../project/workspace-facts.ts'

/** What a first context holds beside what follows from the agent. */
export interface FirstContext {
  readonly persona?: Persona | undefined
  readonly files?: readonly ReferenceFile[]
  readonly schemas?: NonNullable<SystemPromptInput['schemas']>
  /** What was done in the conversation before, oldest first. */
  readonly receipts?: readonly string[]
}

export interface SystemAbout extends FirstContext {
  readonly agent: AgentDefinition
  readonly depth: number
  readonly maxTurns: number
  /** Names of the tools that it may call, whether it is offered them or learns them on demand. */
  readonly tools: readonly string[]
  /** Where it works; null: in the directory of the conversation. */
  readonly directory: string | null
  /** What its report has to satisfy. */
  readonly outputSchema?: JsonSchema | undefined
}

/** What a branch is told of its directory: first the system text of its agent at its depth. */
export interface SystemText {
  (about: SystemAbout): string
  /** Called before: looks at the directory that a text is about, where that takes time. Never rejects. */
  prepare?(directory: string | null): Promise<void>
  /** Called when an agent of that directory has read or changed a file: the notes that count there and not in its directory. */
  findNotesFor?(file: string, directory: string | null): FoundNotes | undefined
}
