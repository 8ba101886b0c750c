import { z } from 'zod'
import { efforts } from './agent.ts'
import type { Json } from './json.ts'
import { modelSettingsSchema } from './model-settings.ts'

/**
 * The caps of one run, after call, config, definition and default were weighed. null: none of its own. Money and tokens are
 * reserved for it while it has not stopped, and are those of everything that it starts too.
 */
export const runLimitsSchema = z.object({
  maxTurns: z.int().min(1),
  maxTokens: z.number().min(0).nullable(),
  maxCostUsd: z.number().min(0).nullable(),
  /** Where nobody has named money or tokens for it: what its share may grow to while something is left unreserved. */
  growsTo: z
    .object({ maxTokens: z.number().min(0).nullable(), maxCostUsd: z.number().min(0).nullable() })
    .optional(),
  /** What was named for it while others held that: its caps become these, and no more, once it is free. */
  asked: z
    .object({ maxTokens: z.number().min(0).nullable(), maxCostUsd: z.number().min(0).nullable() })
    .optional(),
  timeoutMs: z.int().min(1).nullable(),
  stallMs: z.int().min(1),
})

/** What a run was given beside its agent, model and limits. Every later run on the branch has the same. */
export const runSetupSchema = z.object({
  /** Where its tools work: an absolute path without links. null: the directory of the conversation. */
  directory: z.string().nullable(),
  /** null: what the provider does by itself. */
  effort: z.enum(efforts).nullable(),
  /** The agent whose prompt stands before its role; null: none. */
  persona: z.string().nullable(),
  /** Absolute paths of the files whose text stands in its first context; what it starts gets them too. */
  contextFiles: z.array(z.string()).readonly(),
  /** What its spawn asked for; each continue gives as much again. null: nothing was said. */
  maxCostUsd: z.number().min(0).nullable(),
  maxTokens: z.number().min(0).nullable(),
  /** How its model is asked, as its agent and whoever started it say. Absent: nothing was said. */
  settings: modelSettingsSchema().optional(),
  /** What a program tells its own tools about the conversation; what the run starts has it too. Absent: nothing. */
  context: (z.unknown() as z.ZodType<Json>).optional(),
  /** The tools that a program brought: no process goes on with the run without them. Absent: none. */
  ownTools: z.array(z.string()).readonly().optional(),
})
