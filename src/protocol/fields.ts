import { z } from 'zod'
import { efforts } from '../core/agent.ts'
import { denialReasons } from '../core/denial-reason.ts'
import { finishReasons } from '../core/finish-reason.ts'
import type { IdPrefix, IdTypes } from '../core/ids.ts'

/** Fields shared by several responses. Times are milliseconds since the epoch, money is US dollars. */

/** `cnv_` and 26 characters. */
export function id<P extends IdPrefix>(prefix: P): z.ZodType<IdTypes[P], string> {
  return z.string().regex(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`)) as unknown as z.ZodType<
    IdTypes[P],
    string
  >
}

export const ms = z.int().min(0)
export const count = z.int().min(0)
/** null: some price is unknown (never 0). */
export const cost = z.number().min(0).nullable()
/** Text written by a person. */
export const words = z
  .string()
  .max(1_000_000)
  .refine((text) => text.trim() !== '', 'must not be empty')
export const effort = z.enum(efforts).nullable()

export const usage = z
  .object({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    reasoning: z.number(),
  })
  .readonly()

export const errorShape = z
  .object({
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
  })
  .readonly()
/** For a call; `reason`: who or what denied it. */
export const callError = errorShape
  .unwrap()
  .extend({ reason: z.enum(denialReasons).optional() })
  .readonly()

export const runStatus = z.enum([
  'queued',
  'running',
  'waiting',
  'paused',
  'completed',
  'failed',
  'cancelled',
])
export const runReason = z
  .enum([
    'approval',
    'question',
    'children',
    'retry',
    'limit',
    'budget',
    'user',
    'parent',
    'restart',
    'stall',
  ])
  .nullable()
export const endReason = z
  .enum([
    'done',
    'max_turns',
    'timeout',
    'max_tokens',
    'max_output_tokens',
    'context_window',
    'budget',
    'stall',
    'restart',
    'user',
    'parent',
    'error',
  ])
  .nullable()

/** How the last answer of the run ended, as its provider reported it; null: no answer ended it. */
export const finishReason = z.enum(finishReasons).nullable()

export const grant = z.object({ tool: z.string(), pattern: z.string().optional() }).readonly()
export const action = z.enum(['allow', 'ask', 'deny'])
/** A JSON Schema. */
export const jsonSchema = z.record(z.string(), z.unknown()).readonly()

/** Every error response; `fields`: invalid fields of a body or query. */
export const errorAnswer = z.object({
  error: errorShape.unwrap().extend({
    fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
})
export type ErrorAnswer = z.infer<typeof errorAnswer>
