import { z } from 'zod'
import { approval, question } from './approvals-and-questions.ts'
import { inboxItem } from './inbox.ts'
import { cost, count, id, ms, runReason, runStatus, words } from './fields.ts'
import { partialMessage } from './message.ts'
import { call, run, totals } from './run.ts'

/** The process that drives a conversation. */
const owner = z.object({ pid: z.int(), host: z.string(), since: ms }).readonly()

const about = {
  id: id('cnv'),
  title: z.string(),
  /** The workspace: an absolute path. */
  directory: z.string(),
  createdAt: ms,
  updatedAt: ms,
}

export const conversationItem = z
  .object({
    ...about,
    /** Of the last run on its main branch; null: there was none. */
    status: runStatus.nullable(),
    reason: runReason,
    /** What still works or is paused below a run that has completed: `1 subagent paused`; null: nothing. */
    left: z.string().nullable(),
    /** Open approvals and questions, and runs that are running or waiting. */
    needsYou: count,
    running: count,
    costUsd: cost,
  })
  .readonly()
export type ConversationItem = z.infer<typeof conversationItem>

export const branch = z
  .object({
    id: id('brn'),
    conversationId: id('cnv'),
    /** main, fork or subagent; readers tolerate others. */
    kind: z.string(),
    inheritContext: z.boolean(),
    parentBranchId: id('brn').nullable(),
    originMessageId: id('msg').nullable(),
    originToolCallId: id('cal').nullable(),
    agent: z.string(),
    label: z.string(),
    createdAt: ms,
  })
  .readonly()
export type BranchRow = z.infer<typeof branch>

export const branchPage = z
  .object({
    branch,
    /** Its latest run; null: nothing has run on it. */
    run: run.nullable(),
    /** How many messages of its own it has. */
    messages: count,
  })
  .readonly()

/** Everything that both UIs draw, but for the messages, which are paged (`listMessages`). Events after `seq` bring it up to date. */
export const snapshot = z
  .object({
    seq: count,
    conversation: z.object({ ...about, mode: z.string().nullable() }).readonly(),
    /** null: no process drives it, and nothing goes on by itself. `mine`: it is the process that answers. */
    owner: owner.unwrap().extend({ mine: z.boolean() }).readonly().nullable(),
    branches: z.array(branch).readonly(),
    /** Oldest first: those that go on, and the latest of the others. */
    runs: z.array(run).readonly(),
    /** Older runs that are not in the list, but in the totals. */
    runsOmitted: count,
    /** The last calls of each run that goes on, oldest first. */
    calls: z.array(call).readonly(),
    /** Answers that are being streamed, with their text so far. */
    streaming: z.array(partialMessage).readonly(),
    approvals: z.array(approval).readonly(),
    questions: z.array(question).readonly(),
    /** Of all branches, each in the order in which it is read. */
    inbox: z.array(inboxItem).readonly(),
    slots: z
      .object({
        running: count,
        max: count,
        queued: count,
        /** What the queued ones wait for: a slot of the process that drives it; absent: one of the conversation. */
        line: z.enum(['conversation', 'process']).optional(),
      })
      .readonly(),
    /** Caps; null: none. What is left is what these are beyond the totals. */
    budget: z.object({ usd: z.number().nullable(), tokens: z.number().nullable() }).readonly(),
    totals,
  })
  .readonly()
export type Snapshot = z.infer<typeof snapshot>

const order = {
  /** `provider/model`. */
  model: z.string().min(1).max(200).optional(),
  maxTurns: z.int().min(1).optional(),
  budgetUsd: z.number().min(0).optional(),
}

type Order = { readonly [K in 'text' | keyof typeof order]?: unknown }

/** What is said of a run would be ignored where none begins. */
function beginsRun({ text, model, maxTurns, budgetUsd }: Order): boolean {
  return text !== undefined || [model, maxTurns, budgetUsd].every((each) => each === undefined)
}
const NO_RUN = 'expected a text: model, maxTurns and budgetUsd are for the run that begins with it'

const file = z.strictObject({
  mediaType: z.string().min(1).max(200),
  /** Base64. */
  data: z.base64(),
  filename: z.string().max(500).optional(),
})

/** Without `text` a conversation is made that has an empty main branch, and nothing runs. */
export const createConversation = z
  .object({
    /** Absolute; default: where the server was started. */
    directory: z.string().min(1).max(4096).optional(),
    title: z.string().min(1).max(500).optional(),
    text: words.optional(),
    agent: z.string().min(1).max(128).optional(),
    mode: z.enum(['plan', 'ask', 'accept-edits', 'auto']).optional(),
    ...order,
  })
  .refine(beginsRun, NO_RUN)
export const conversationCreated = z.object({
  conversationId: id('cnv'),
  branchId: id('brn'),
  runId: id('run').nullable(),
})

export const updateConversation = z.object({ title: z.string().trim().min(1).max(500) })

export const sendMessage = z.object({
  text: words,
  /** `steer`: read at the next turn of a run that goes on. Where the run is paused, both continue it. */
  mode: z.enum(['steer', 'follow_up']).default('follow_up'),
  files: z.array(file).max(20).optional(),
  /** false, where a subagent has stopped: its report goes to nobody, so that its parent is not woken. Default: true. */
  wake: z.boolean().optional(),
  ...order,
})
/** `itemId`: it waits in the inbox; null: a run began with it. `runId`: what reads it; null: none goes on. */
export const messageSent = z.object({ itemId: id('inb').nullable(), runId: id('run').nullable() })

/** Without `text` a branch is made on which nothing runs. */
export const forkMessage = z.object({ text: words.optional(), ...order }).refine(beginsRun, NO_RUN)
export const editMessage = z.object({ text: words, ...order })
export const regenerateMessage = z.object(order)
/** `runId`: where a run began on the new branch. */
export const forked = z.object({ branchId: id('brn'), runId: id('run').optional() })

export const spawnSubagent = z.object({
  task: words,
  agent: z.string().min(1).max(128).default('general'),
  label: z.string().min(1).max(200).optional(),
  /** What becomes of its report: it wakes the idle agent above it, or stands in its context, or both. */
  deliver: z.enum(['wake', 'announce', 'both']).optional(),
  ...order,
})
export const spawned = z.object({ branchId: id('brn'), runId: id('run') })
