import type { Json } from './json.ts'

export type Action = 'allow' | 'ask' | 'deny'

/** A standing permission: a tool or toolset (`*`: every tool), and a pattern over the call's subject. */
export interface Rule {
  readonly tool: string
  readonly pattern?: string | undefined
  readonly action: Action
}

/** A JSON Schema, as data. */
export interface JsonSchema {
  readonly [keyword: string]: Json | undefined
}

/** How much a model is to reason, from nothing to all it can; each provider knows some of these. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

/** How an agent is offered as a tool of its own: its typed input is the agent's `inputSchema`. */
export interface AgentTool {
  readonly name: string
  /** When to call it; absent: the agent's own description. */
  readonly description?: string
  readonly maxTurns?: number
}

/** Shortens a report for whoever is to read it; it may throw, and then the report goes as it is. */
export type Summarize = (report: string, about: { readonly agent: string }) => string | Promise<string>

/** What is wrong with a report beyond what its JSON Schema says, a line each; it may throw, and then the run fails. */
export type CheckOutput = (value: Json) => readonly string[] | Promise<readonly string[]>

/** Rules that narrow an agent beside its own. */
export interface NarrowedBy {
  /** In words: `user config`. */
  readonly source: string
  readonly rules: readonly Rule[]
}

/**
 * What the runtime puts around an agent's own prompt. `bare`: only what the agent asks for (context files, the schema of
 * its report). `workspace`: also how to work, the directory with its files and notes, skills and limits.
 */
export const basePrompts = ['bare', 'workspace'] as const
export type BasePrompt = (typeof basePrompts)[number]

/** An agent's definition. The agent named `main` works with the person; no delegation starts it. */
export interface AgentDefinition {
  readonly name: string
  /** For people. */
  readonly title?: string
  readonly icon?: string
  /** When to delegate to it: the text that the spawning model reads. */
  readonly description: string
  /** The body of its file: the role, in its own words. */
  readonly prompt: string
  /** Only code can choose; absent: `workspace`. */
  readonly basePrompt?: BasePrompt
  /** `provider/model`, `inherit` (default) or `small`. */
  readonly model?: string
  /** Absent: what its provider does by itself. */
  readonly effort?: Effort
  /** How varied its answers are, from 0 to 2; absent: what its provider does by itself. */
  readonly temperature?: number
  /** Tool or toolset names; absent: all that the parent has. */
  readonly tools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  readonly permissions?: readonly Rule[]
  /** `plan`: it changes nothing and runs nothing, whatever the rules allow. `ask`: as without. */
  readonly mode?: 'plan' | 'ask'
  /** What a configuration says of it beside: each source is a list of its own, and the strictest of all counts. */
  readonly narrowed?: readonly NarrowedBy[]
  readonly maxTurns?: number
  readonly maxCostUsd?: number
  readonly timeoutMs?: number
  /** Whether a spawn that does not say so runs in the background. */
  readonly background?: boolean
  /** Whether it is told to use its tools where it ends its first turn as a subagent without a call. Default: false. */
  readonly firstTurnReminder?: boolean
  readonly isolation?: 'none' | 'worktree'
  /** `native` (default) or the name of an external agent. */
  readonly backend?: string
  /** Names of agents that it may start, `*`: all; absent: all for main and general, none for others. */
  readonly spawns?: readonly string[]
  readonly inputSchema?: JsonSchema
  /** What its report has to satisfy. */
  readonly outputSchema?: JsonSchema
  /** Asked of what satisfies `outputSchema`; only code can give one. */
  readonly checkOutput?: CheckOutput
  /** A preset's name, or a line that says how its report is to be shortened for its parent; in code a function. */
  readonly summarize?: string | Summarize
  readonly exposeAsTool?: AgentTool
  /** Paths whose text goes into its first context, each decided as a `read` of the spawning agent. */
  readonly contextFiles?: readonly string[]
  readonly skills?: readonly string[]
  /** Names of configured MCP servers. */
  readonly mcpServers?: readonly string[]
  /** Keys of foreign files that are not ours, unchanged. */
  readonly extra?: { readonly [key: string]: Json | undefined }
  /** Where it comes from: `built-in`, or the path of its file. */
  readonly source: string
}
