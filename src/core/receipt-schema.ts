import { z } from 'zod'

/**
 * What a tool says that it really did: made by the program that did it, never by a model. Paths are
 * relative to the workspace with `/`, absolute where they are outside. Hashes are SHA-256, hex.
 */
export const factSchema = z.discriminatedUnion('type', [
  /** `hash` null: the file was too large to be read to its end. */
  z.looseObject({ type: z.literal('read'), path: z.string(), hash: z.string().nullable() }),
  /**
   * `before` null: there was no file; `after` null: there is none any more. Equal: it was written as it was. `added` and
   * `removed` count lines; null where that is not known.
   */
  z.looseObject({
    type: z.literal('changed'),
    path: z.string(),
    before: z.string().nullable(),
    after: z.string().nullable(),
    added: z.int().min(0).nullable(),
    removed: z.int().min(0).nullable(),
  }),
  /** `exitCode` null: it was ended from outside. */
  z.looseObject({ type: z.literal('command'), command: z.string(), exitCode: z.int().nullable() }),
  z.looseObject({ type: z.literal('host'), host: z.string() }),
])
