import { z } from 'zod'
import type { Part } from '../core/message.ts'
import { count, id, ms, usage } from './fields.ts'
import { call } from './run.ts'

/**
 * Other fields depend on `type`: text (`author`: who wrote it, in a user message), reasoning, tool-call, tool-result,
 * file, report, notice. Readers must skip unknown types.
 */
const part = z.looseObject({ id: id('prt'), type: z.string() }) as unknown as z.ZodType<Part, Part>

const message = z
  .object({
    id: id('msg'),
    branchId: id('brn'),
    /** 0, 1, 2, ... in its branch. */
    position: count,
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    /** `interrupted`: permanently cut; kept for people, never sent to the model again. */
    state: z.enum(['streaming', 'complete', 'interrupted']),
    parts: z.array(part).readonly(),
    /** The run that wrote it; null: none. Its parts name the author. */
    runId: id('run').nullable(),
    /** For an assistant message: figures of its request. */
    usage: usage.nullable(),
    createdAt: ms,
  })
  .readonly()

/** A streaming answer so far. */
export const partialMessage = z
  .object({ messageId: id('msg'), branchId: id('brn'), runId: id('run'), parts: z.array(part).readonly() })
  .readonly()

export const pageQuery = z.object({
  /** Only messages with a smaller position. */
  before: z.coerce.number<number | string>().int().min(0).optional(),
  /** Only messages up to and including this one: what a branch inherits from its origin. */
  upTo: id('msg').optional(),
  limit: z.coerce.number<number | string>().int().min(1).max(200).default(50),
})

/** The last messages of a branch, oldest first; only its own, not inherited ones. */
export const messagePage = z
  .object({
    branchId: id('brn'),
    /** The page excludes events after this one. */
    seq: count,
    messages: z.array(message).readonly(),
    /** Tool calls of these messages that have started. */
    calls: z.array(call).readonly(),
    /** Value of `before` for the previous page; null: none. */
    before: count.nullable(),
    /** Number of earlier system messages on the branch; absent: none. */
    systemsBefore: count.optional(),
  })
  .readonly()
export type MessagePage = z.infer<typeof messagePage>
