import type { SandboxSetting } from '../config/sandbox-setting.ts'
import type { ConversationId } from '../core/ids.ts'
import type { ModelSettings } from '../core/model-settings.ts'
import type { Mode } from '../permissions/modes.ts'
import type { FollowFlags } from './terminal/follow-run.ts'

export const INPUT_FORMATS = ['text', 'stream-json'] as const

/** What `offshoot run` can be told. */
export interface RunFlags extends FollowFlags {
  readonly directory: string
  readonly model?: string
  readonly agent: string
  /** On the command line, and not by default. */
  readonly isAgentNamed: boolean
  readonly mode?: Mode
  readonly sandbox?: SandboxSetting
  readonly maxTurns?: number
  readonly set?: ModelSettings
  /** true: the one that a person picks. */
  readonly conversation?: string | true
  readonly continue?: true
  readonly forkSession?: true
  readonly background?: true
  readonly inputFormat: (typeof INPUT_FORMATS)[number]
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly addDir?: readonly string[]
  readonly appendSystemPrompt?: string
  readonly jsonSchema?: string
  /** The same in the words of Claude Code. */
  readonly allowedTools?: readonly string[]
  readonly disallowedTools?: readonly string[]
}

/** Of what is a rule of this run. */
export const RULE_FLAGS = ['allow', 'deny', 'addDir', 'allowedTools', 'disallowedTools'] as const

/** How a run has ended; without a conversation: another process drives it. */
export interface RunEnd {
  readonly code: number
  readonly conversationId?: ConversationId
}
