import { z } from 'zod'
import type { Part } from '../core/message.ts'
import { count, id, ms, usage } from './fields.ts'
import { call } from './run.ts'

/** Its other fields depend on `type`: text (`author`: who wrote it, in a user message), reasoning, tool-call, tool-result, file, report, notice. Readers pass over others. */
const part = z.looseObject({ id: id('prt'), type: z.string() }) as unknown as z.ZodType<Part, Part>

const message = z
  .object({
    id: id('msg'),
    branchId: id('brn'),
    /** 0, 1, 2, ... in its branch. */
    position: count,
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    /** `interrupted`: cut for good; kept for people, never sent to the model again. */
    state: z.enum(['streaming', 'complete', 'interrupted']),
    parts: z.array(part).readonly(),
    /** The run in which it was written; null: none. Who wrote it, its parts say. */
    runId: id('run').nullable(),
    /** Of an assistant message: what its request measured. */
    usage: usage.nullable(),
    createdAt: ms,
  })
  .readonly()

/** What there is of an answer that is being streamed. */
export const partialMessage = z
  .object({ messageId: id('msg'), branchId: id('brn'), runId: id('run'), parts: z.array(part).readonly() })
  .readonly()

export const pageQuery = z.object({
  /** Only messages whose position is smaller. */
  before: z.coerce.number<number | string>().int().min(0).optional(),
  /** Only up to and including this message: what a branch inherits of the one that it leaves. */
  upTo: id('msg').optional(),
  limit: z.coerce.number<number | string>().int().min(1).max(200).default(50),
})

/** The last messages of a branch that were asked for, oldest first; its own ones, not those that it inherits. */
export const messagePage = z
  .object({
    branchId: id('brn'),
    /** Events after this one are not in it. */
    seq: count,
    messages: z.array(message).readonly(),
    /** The tool calls of these messages that have begun. */
    calls: z.array(call).readonly(),
    /** `before` of the page that comes before this one; null: there is none. */
    before: count.nullable(),
    /** How many messages of the branch before these are system messages; absent: none. */
    systemsBefore: count.optional(),
  })
  .readonly()
export type MessagePage = z.infer<typeof messagePage>
