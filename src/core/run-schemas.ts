import { z } from 'zod'
import { efforts } from './agent.ts'
import type { Json } from './json.ts'
import { modelSettingsSchema } from './model-settings.ts'

/**
 * The effective caps of a run, from call, config, definition and default. null: no own cap. Money and tokens are
 * reserved for it until it stops, and cover everything that it starts.
 */
export const runLimitsSchema = z.object({
  maxTurns: z.int().min(1),
  maxTokens: z.number().min(0).nullable(),
  maxCostUsd: z.number().min(0).nullable(),
  /** Without a named amount: what its share may grow to while budget is unreserved. */
  growsTo: z
    .object({ maxTokens: z.number().min(0).nullable(), maxCostUsd: z.number().min(0).nullable() })
    .optional(),
  /** The named amount while other runs hold the budget: its caps become exactly this once it is free. */
  asked: z
    .object({ maxTokens: z.number().min(0).nullable(), maxCostUsd: z.number().min(0).nullable() })
    .optional(),
  timeoutMs: z.int().min(1).nullable(),
  stallMs: z.int().min(1),
})

/** Settings of a run besides its agent, model and limits. Later runs on the branch keep them. */
export const runSetupSchema = z.object({
  /** Directory of its tools: absolute, without links. null: the directory of the conversation. */
  directory: z.string().nullable(),
  /** null: the provider's default. */
  effort: z.enum(efforts).nullable(),
  /** The agent whose prompt precedes its role; null: none. */
  persona: z.string().nullable(),
  /** Absolute paths of the files in its first context; runs that it starts get them too. */
  contextFiles: z.array(z.string()).readonly(),
  /** What its spawn asked for; each continue adds the same again. null: nothing. */
  maxCostUsd: z.number().min(0).nullable(),
  maxTokens: z.number().min(0).nullable(),
  /** Model settings from its agent and its caller. Absent: none. */
  settings: modelSettingsSchema().optional(),
  /** The chat's `context` for custom tools, inherited by runs that it starts. Absent: none. */
  context: (z.unknown() as z.ZodType<Json>).optional(),
  /** Custom tools of a program: a process without them does not resume the run. Absent: none. */
  ownTools: z.array(z.string()).readonly().optional(),
})
