import { z } from 'zod'
import { action, count, grant, jsonSchema } from './fields.ts'

export const health = z.object({ ok: z.literal(true), version: z.string() }).readonly()

/** What an agent may do with a tool when the main agent starts it: the stricter of both, and the deciding rule. */
const effectivePermission = z
  .object({
    tool: z.string(),
    /** null: everything that no pattern of another row matches. */
    pattern: z.string().nullable(),
    action,
    /** The deciding rule or mode, as text. */
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
    /** Names of the tools that it has when the main agent starts it. */
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

/** Prices in US dollars per million tokens; null: unknown. */
export const model = z
  .object({
    id: z.string(),
    provider: z.string(),
    label: z.string(),
    /** Whether new conversations use it by default. */
    isDefault: z.boolean(),
    /** Whether its key is set, or it needs none. The key itself is never sent. */
    usable: z.boolean(),
    /** Source of the key, or how to set one. */
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

/** The effective configuration without secrets; `sources`: the files that were read, the strongest last. */
export const config = z
  .object({
    values: z.record(z.string(), z.unknown()).readonly(),
    /** Source of each value: `default`, `user config`, `project config`, `environment`. */
    origins: z.record(z.string(), z.string()).readonly(),
    sources: z.array(z.string()).readonly(),
    warnings: z.array(z.string()).readonly(),
    /** Where the server was started. */
    directory: z.string(),
    version: z.string(),
  })
  .readonly()
