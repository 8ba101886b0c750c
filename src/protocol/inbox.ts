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
    /** Of a message: `person`, `runtime`, `unknown` or an agent; null: it is not known. */
    author: author.nullable(),
    /** Of a result: what the runtime knows of the report; `text` is what the subagent wrote. */
    report: report.nullable(),
    /** Of a result: the run whose report it is. */
    fromRunId: id('run').nullable(),
    createdAt: ms,
  })
  .readonly()
export type InboxItem = z.infer<typeof inboxItem>

/** Other words for what a person wrote, or when it is read; `steer`: at the next turn. */
export const changeInboxItem = z
  .object({ text: words.optional(), mode: z.literal('steer').optional() })
  .refine(({ text, mode }) => text !== undefined || mode !== undefined, 'expected text or mode')
export const inboxItemChanged = z.object({ itemId: id('inb'), mode: inboxItem.unwrap().shape.mode })
/** Results and notes stay (`left`): each is withdrawn by name alone. */
export const inboxCleared = z.object({ withdrawn: count, left: count })
