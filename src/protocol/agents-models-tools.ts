import { z } from 'zod'
import { action, count, grant, jsonSchema } from './fields.ts'

export const health = z.object({ ok: z.literal(true), version: z.string() }).readonly()

/** What an agent may do with a tool when the main agent starts it: the strictest of both, and what decides. */
const effectivePermission = z
  .object({
    tool: z.string(),
    /** null: for everything that no pattern of another row names. */
    pattern: z.string().nullable(),
    action,
    /** The rule or mode that decides, in words. */
    rule: z.string(),
  })
  .readonly()

export const agent = z
  .object({
    name: z.string(),
    title: z.string().nullable(),
    icon: z.string().nullable(),
    description: z.string(),
    prompt: z.string(),
    /** `built-in`, `program`, or the path of its file. */
    source: z.string(),
    /** As defined: `provider/model`, `inherit` or `small`. */
    model: z.string(),
    /** The names of the tools that it has when the main agent starts it. */
    tools: z.array(z.string()).readonly(),
    maxTurns: count,
    maxCostUsd: z.number().nullable(),
    timeoutMs: z.number().nullable(),
    background: z.boolean(),
    /** Names of agents that it may start. */
    spawns: z.array(z.string()).readonly(),
    inputSchema: jsonSchema.nullable(),
    outputSchema: jsonSchema.nullable(),
    permissions: z.array(effectivePermission).readonly(),
    delegations: z.array(grant).readonly(),
  })
  .readonly()
export type AgentRow = z.infer<typeof agent>

/** Prices in US dollars per million tokens; null: not known. */
export const model = z
  .object({
    id: z.string(),
    provider: z.string(),
    label: z.string(),
    /** Whether a new conversation starts with it. */
    isDefault: z.boolean(),
    /** Whether there is a key, or none is needed. The key itself is never told. */
    usable: z.boolean(),
    /** Where the key comes from, or how to give one. */
    note: z.string().nullable(),
    windowTokens: z.number().nullable(),
    price: z.object({ input: z.number(), output: z.number() }).readonly().nullable(),
  })
  .readonly()
export type ModelRow = z.infer<typeof model>

export const tool = z
  .object({
    name: z.string(),
    toolset: z.string(),
    description: z.string(),
    effects: z.enum(['none', 'write', 'execute', 'network', 'spawn']),
    inputSchema: jsonSchema,
  })
  .readonly()

/** The configuration in force, without secrets; `sources`: the files that were read, the strongest last. */
export const config = z
  .object({
    values: z.record(z.string(), z.unknown()).readonly(),
    /** Which source says each of them: `default`, `user config`, `project config`, `environment`. */
    origins: z.record(z.string(), z.string()).readonly(),
    sources: z.array(z.string()).readonly(),
    warnings: z.array(z.string()).readonly(),
    /** Where the server was started. */
    directory: z.string(),
    version: z.string(),
  })
  .readonly()
