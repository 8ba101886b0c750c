import type { Persona, SystemPromptInput } from '../../agents/system-prompt.ts'
import type { ReferenceFile } from '../../agents/workspace-prompt.ts'
import type { AgentDefinition, JsonSchema } from '../../core/agent.ts'

/** What a first context holds beside what follows from the agent. */
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

/** What the first message of a branch needs from outside: the system text of its agent at its depth. */
export interface SystemText {
  (about: SystemAbout): string
  /** Called before: looks at the directory that a text is about, where that takes time. Never rejects. */
  prepare?(directory: string | null): Promise<void>
}
