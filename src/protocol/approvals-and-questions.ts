import { z } from 'zod'
import { commandSandbox } from '../core/command-sandbox-schema.ts'
import { grant, id, ms, words } from './fields.ts'

const asked = {
  /** Its number for people and for `/approve`: 1, 2, 3, ... in its conversation, never reused. */
  number: z.int().min(1),
  conversationId: id('cnv'),
  branchId: id('brn'),
  runId: id('run'),
  callId: id('cal'),
  /** Agents from the root to the asking one. */
  path: z.array(z.string()).readonly(),
}

/** An open approval of a call. `position` of `of` is its place in the list, oldest first. */
export const approval = z
  .object({
    id: id('apr'),
    ...asked,
    tool: z.string(),
    title: z.string(),
    /** The exact command, diff or path. */
    detail: z.string(),
    directory: z.string(),
    /** The rule that asked, as text. */
    rule: z.string(),
    /** What "run" and "always" would grant; null: it can only be allowed once. */
    grant: grant.nullable(),
    /** For a command: what it can reach. null: it is no command, or an older program asked. */
    sandbox: commandSandbox.nullable(),
    /** Pattern of that grant; null grants the whole tool. */
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
  /** For `always`: this conversation (default), or every conversation of its directory. */
  scope: grantScope.optional(),
  /** For `run` and `always`: replaces the offered pattern. */
  pattern: z.string().max(10_000).optional(),
  /** Shown to the model if the answer is `deny`. */
  note: z.string().max(10_000).optional(),
  /** Recorded author of the answer. Default: the server's name for its clients. */
  by: z.string().min(1).max(200).optional(),
})
/** `waits`: no process drives the run; the answer applies when it is continued. */
export const approvalAnswered = z.object({
  approvalId: id('apr'),
  answer: approvalAnswer,
  waits: z.boolean(),
})

/** A question of an agent. */
export const question = z
  .object({
    id: id('que'),
    ...asked,
    question: z.string(),
    /** Suggested answers; any other text is allowed too. */
    options: z.array(z.string()).readonly(),
    askedAt: ms,
    position: z.int().min(1),
    of: z.int().min(1),
  })
  .readonly()
export type QuestionRow = z.infer<typeof question>

export const answerQuestion = z.object({ text: words, by: z.string().min(1).max(200).optional() })
export const questionAnswered = z.object({ questionId: id('que'), waits: z.boolean() })

/** Filter; without it, everything that the conversation has ever asked. */
export const asksQuery = z.object({ number: z.coerce.number().int().min(1).optional() })

/** An approval or question, and its outcome. */
export const ask = z
  .object({
    id: z.union([id('apr'), id('que')]),
    number: z.int().min(1),
    kind: z.enum(['approval', 'question']),
    /** Title of the call, or the question. */
    title: z.string(),
    path: z.array(z.string()).readonly(),
    askedAt: ms,
    /** `once`, `run`, `always`, `deny`, or the text; null: still open, or closed without an answer. */
    answer: z.string().nullable(),
    answeredBy: z.string().nullable(),
    /** null: still open. */
    answeredAt: ms.nullable(),
  })
  .readonly()
export type AskRow = z.infer<typeof ask>
