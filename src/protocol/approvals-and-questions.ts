import { z } from 'zod'
import { grant, id, ms, words } from './fields.ts'

const asked = {
  /** What people call it, and `/approve` takes: 1, 2, 3, ... in its conversation, never given twice. */
  number: z.int().min(1),
  conversationId: id('cnv'),
  branchId: id('brn'),
  runId: id('run'),
  callId: id('cal'),
  /** Agents from the root to the one that asks. */
  path: z.array(z.string()).readonly(),
}

/** An open question whether a call may be made. `position` of `of` is its place in the list: oldest first. */
export const approval = z
  .object({
    id: id('apr'),
    ...asked,
    tool: z.string(),
    title: z.string(),
    /** The exact command, diff or path. */
    detail: z.string(),
    directory: z.string(),
    /** The rule that asked, in words. */
    rule: z.string(),
    /** What "run" and "always" would grant; null: it can be answered for this once alone. */
    grant: grant.nullable(),
    /** The pattern of that; null where there is none, which grants the tool as a whole. */
    pattern: z.string().nullable(),
    requestedAt: ms,
    position: z.int().min(1),
    of: z.int().min(1),
  })
  .readonly()
export type ApprovalRow = z.infer<typeof approval>

const approvalAnswer = z.enum(['once', 'run', 'always', 'deny'])
const grantScope = z.enum(['conversation', 'project'])

export const answerApproval = z.object({
  answer: approvalAnswer,
  /** Of `always`: in this conversation, which is the default, or in every one of its directory. */
  scope: grantScope.optional(),
  /** Of `run` and `always`: in the place of the pattern that was offered. */
  pattern: z.string().max(10_000).optional(),
  /** Read by the model, where the answer is `deny`. */
  note: z.string().max(10_000).optional(),
  /** Who answers, for the record; default: the server's word for its clients. */
  by: z.string().min(1).max(200).optional(),
})
/** `waits`: no process goes on with the run; it does when somebody continues it. */
export const approvalAnswered = z.object({
  approvalId: id('apr'),
  answer: approvalAnswer,
  waits: z.boolean(),
})

/** What an agent asks in words. */
export const question = z
  .object({
    id: id('que'),
    ...asked,
    question: z.string(),
    /** Answers to choose from; any other text is one too. */
    options: z.array(z.string()).readonly(),
    askedAt: ms,
    position: z.int().min(1),
    of: z.int().min(1),
  })
  .readonly()
export type QuestionRow = z.infer<typeof question>

export const answerQuestion = z.object({ text: words, by: z.string().min(1).max(200).optional() })
export const questionAnswered = z.object({ questionId: id('que'), waits: z.boolean() })

/** Which one; without it all that the conversation has ever asked. */
export const asksQuery = z.object({ number: z.coerce.number().int().min(1).optional() })

/** Something that was asked, and what came of it. */
export const ask = z
  .object({
    id: z.union([id('apr'), id('que')]),
    number: z.int().min(1),
    kind: z.enum(['approval', 'question']),
    /** Of an approval the call, of a question its words. */
    title: z.string(),
    path: z.array(z.string()).readonly(),
    askedAt: ms,
    /** `once`, `run`, `always`, `deny`, or what was said; null: nothing yet, or it was closed without an answer. */
    answer: z.string().nullable(),
    answeredBy: z.string().nullable(),
    /** null: it is open. */
    answeredAt: ms.nullable(),
  })
  .readonly()
export type AskRow = z.infer<typeof ask>
