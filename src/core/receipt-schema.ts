import { z } from 'zod'
import { sandboxForce, wideningSchema } from './command-sandbox-schema.ts'

/**
 * What a tool really did, recorded by the program that did it, never by a model. Paths are relative to the workspace
 * with `/`, absolute outside it. Hashes are SHA-256, hex.
 */
export const factSchema = z.discriminatedUnion('type', [
  /** `hash` null: the file was too large to be read completely. */
  z.looseObject({ type: z.literal('read'), path: z.string(), hash: z.string().nullable() }),
  /**
   * `before` null: the file was new; `after` null: it was deleted. Equal: rewritten unchanged. `added` and `removed`
   * count lines; null: unknown.
   */
  z.looseObject({
    type: z.literal('changed'),
    path: z.string(),
    before: z.string().nullable(),
    after: z.string().nullable(),
    added: z.int().min(0).nullable(),
    removed: z.int().min(0).nullable(),
  }),
  /**
   * `exitCode` null: it was killed. `sandbox` absent: an older program recorded it. `widened`: what it reached beyond the
   * settings of the sandbox, because a person allowed it; absent: nothing.
   */
  z.looseObject({
    type: z.literal('command'),
    command: z.string(),
    exitCode: z.int().nullable(),
    sandbox: sandboxForce.optional(),
    widened: wideningSchema.optional(),
  }),
  z.looseObject({ type: z.literal('host'), host: z.string() }),
  /** What a confined command reached, or was refused. Bytes from it, and to it. */
  z.looseObject({
    type: z.literal('connection'),
    host: z.string(),
    port: z.int(),
    allowed: z.boolean(),
    sent: z.int().min(0),
    received: z.int().min(0),
  }),
])
