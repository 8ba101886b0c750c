import type { Json } from './json.ts'
import type { ModelSettings } from './model-settings.ts'

export type Action = 'allow' | 'ask' | 'deny'

/** A standing permission: a tool or toolset (`*`: every tool), and a pattern for the call's subject. */
export interface Rule {
  readonly tool: string
  readonly pattern?: string | undefined
  readonly action: Action
}

/** A JSON Schema. */
export interface JsonSchema {
  readonly [keyword: string]: Json | undefined
}

/** Reasoning effort, from none to maximum; each provider supports some of these. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

/** How an agent is offered as a tool: its typed input is the agent's `inputSchema`. */
export interface AgentTool {
  readonly name: string
  /** When to call it. Default: the agent's description. */
  readonly description?: string
  readonly maxTurns?: number
}

/** Shortens a report for its reader. If it throws, the full report is used. */
export type Summarize = (report: string, about: { readonly agent: string }) => string | Promise<string>

/** Problems of a report beyond its JSON Schema, one per line. If it throws, the run fails. */
export type CheckOutput = (value: Json) => readonly string[] | Promise<readonly string[]>

/** Rules that restrict an agent further. */
export interface NarrowedBy {
  /** Name for people: `user config`. */
  readonly source: string
  readonly rules: readonly Rule[]
}

/**
 * What the runtime adds to an agent's own prompt. `bare`: only what the agent asks for (context files, the schema of
 * its report). `workspace`: also working rules, the directory listing, notes, skills and limits.
 */
export const basePrompts = ['bare', 'workspace'] as const
export type BasePrompt = (typeof basePrompts)[number]

/** An agent's definition. The agent named `main` works with the person; no delegation starts it. */
export interface AgentDefinition extends ModelSettings {
  readonly name: string
  /** For people. */
  readonly title?: string
  readonly icon?: string
  /** When to delegate to it, for the model that spawns. */
  readonly description: string
  /** Body of its file: the role. */
  readonly prompt: string
  /** Only code can set it. Default: `workspace`. */
  readonly basePrompt?: BasePrompt
  /** `provider/model`, `inherit` (default) or `small`. */
  readonly model?: string
  /** Absent: the provider's default. */
  readonly effort?: Effort
  /** Tool or toolset names. Absent: all tools of the parent. */
  readonly tools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  readonly permissions?: readonly Rule[]
  /** `plan`: it changes and runs nothing, whatever the rules allow. `ask`: no effect. */
  readonly mode?: 'plan' | 'ask'
  /** Rules that configurations add: each source is a separate list, and the strictest decides. */
  readonly narrowed?: readonly NarrowedBy[]
  readonly maxTurns?: number
  readonly maxCostUsd?: number
  readonly timeoutMs?: number
  /** Whether spawns run in the background by default. */
  readonly background?: boolean
  /** Whether to remind it to use its tools if it ends its first turn as a subagent without a call. Default: false. */
  readonly firstTurnReminder?: boolean
  readonly isolation?: 'none' | 'worktree'
  /** `native` (default) or the name of an external agent. */
  readonly backend?: string
  /** Names of agents that it may start; `*`: all. Absent: all for main and general, none for others. */
  readonly spawns?: readonly string[]
  readonly inputSchema?: JsonSchema
  /** Schema of its report. */
  readonly outputSchema?: JsonSchema
  /** Additional check of reports that satisfy `outputSchema`; only code can set it. */
  readonly checkOutput?: CheckOutput
  /** How to shorten its report for its parent: a preset, an instruction, or in code a function. */
  readonly summarize?: string | Summarize
  readonly exposeAsTool?: AgentTool
  /** Files whose text is added to its first context; each is permitted as a `read` of the spawning agent. */
  readonly contextFiles?: readonly string[]
  readonly skills?: readonly string[]
  /** Names of configured MCP servers. */
  readonly mcpServers?: readonly string[]
  /** Foreign keys of its file, unchanged. */
  readonly extra?: { readonly [key: string]: Json | undefined }
  /** Source: `built-in`, or the path of its file. */
  readonly source: string
}
