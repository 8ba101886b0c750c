import { z } from 'zod'
import { plainAuthors, type Author } from '../core/message.ts'
import type { ReportFacts } from '../core/report-facts.ts'
import { count, id, ms, words } from './fields.ts'

const author = z.union([
  z.enum(plainAuthors),
  z.looseObject({ agent: z.string(), branchId: id('brn') }),
]) as unknown as z.ZodType<Author, Author>
/** Its agent, description, status, figures, note, error and receipts. */
const report = z.looseObject({ agent: z.string(), description: z.string() }) as unknown as z.ZodType<
  ReportFacts,
  ReportFacts
>

export const inboxItem = z
  .object({
    id: id('inb'),
    conversationId: id('cnv'),
    branchId: id('brn'),
    kind: z.enum(['user', 'result', 'note']),
    mode: z.enum(['steer', 'follow_up']),
    text: z.string(),
    /** For a message: `person`, `runtime`, `unknown` or an agent; null: unknown. */
    author: author.nullable(),
    /** For a result: what the runtime knows about the report; `text` is what the subagent wrote. */
    report: report.nullable(),
    /** For a result: the run that reported. */
    fromRunId: id('run').nullable(),
    createdAt: ms,
  })
  .readonly()
export type InboxItem = z.infer<typeof inboxItem>

/** Changes the text of a person's message, or its delivery; `steer`: at the next turn. */
export const changeInboxItem = z
  .object({ text: words.optional(), mode: z.literal('steer').optional() })
  .refine(({ text, mode }) => text !== undefined || mode !== undefined, 'expected text or mode')
export const inboxItemChanged = z.object({ itemId: id('inb'), mode: inboxItem.unwrap().shape.mode })
/** Results and notes stay (`left`): they can only be withdrawn one by one. */
export const inboxCleared = z.object({ withdrawn: count, left: count })
