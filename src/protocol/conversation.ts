import { z } from 'zod'
import { sandboxForce } from '../core/command-sandbox-schema.ts'
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
    /** Status of the last run on its main branch; null: none yet. */
    status: runStatus.nullable(),
    reason: runReason,
    /** What still works or is paused below a completed run: `1 subagent paused`; null: nothing. */
    left: z.string().nullable(),
    /** Counts of open approvals and questions, and of running or waiting runs. */
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
    /** main, fork or subagent; readers must accept unknown kinds. */
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
    /** Its latest run; null: none yet. */
    run: run.nullable(),
    /** Number of its own messages. */
    messages: count,
  })
  .readonly()

/**
 * Everything that both UIs draw, except messages, which are paged (`listMessages`). Events after `seq` bring it up to
 * date.
 */
export const snapshot = z
  .object({
    seq: count,
    conversation: z.object({ ...about, mode: z.string().nullable() }).readonly(),
    /** null: no process drives it, so nothing continues by itself. `mine`: the answering process drives it. */
    owner: owner.unwrap().extend({ mine: z.boolean() }).readonly().nullable(),
    /**
     * What is between commands that the answering process starts here and the machine: `off`: nothing; `no-network`,
     * `allowed-hosts`: a sandbox. null: another process drives it, which decides that.
     */
    sandbox: sandboxForce.nullable(),
    branches: z.array(branch).readonly(),
    /** Oldest first: active runs, and the latest of the others. */
    runs: z.array(run).readonly(),
    /** Number of older runs missing from the list but included in the totals. */
    runsOmitted: count,
    /** The last calls of each active run, oldest first. */
    calls: z.array(call).readonly(),
    /** Streaming answers with their text so far. */
    streaming: z.array(partialMessage).readonly(),
    approvals: z.array(approval).readonly(),
    questions: z.array(question).readonly(),
    /** Inbox items of all branches, each in reading order. */
    inbox: z.array(inboxItem).readonly(),
    slots: z
      .object({
        running: count,
        max: count,
        queued: count,
        /** What queued runs wait for: a slot of the driving process; absent: a slot of the conversation. */
        line: z.enum(['conversation', 'process']).optional(),
      })
      .readonly(),
    /** Caps; null: none. The remainder is the cap minus the totals. */
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

/** Run options are refused if no run starts, because they would have no effect. */
function beginsRun({ text, model, maxTurns, budgetUsd }: Order): boolean {
  return text !== undefined || [model, maxTurns, budgetUsd].every((each) => each === undefined)
}
const NO_RUN = 'expected text: model, maxTurns and budgetUsd apply to the run that it starts'

const file = z.strictObject({
  mediaType: z.string().min(1).max(200),
  /** Base64. */
  data: z.base64(),
  filename: z.string().max(500).optional(),
})

/** Without `text`, creates a conversation with an empty main branch and no run. */
export const createConversation = z
  .object({
    /** Absolute path. Default: where the server was started. */
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
  /** `steer`: read at the next turn of an active run. If the run is paused, both modes continue it. */
  mode: z.enum(['steer', 'follow_up']).default('follow_up'),
  files: z.array(file).max(20).optional(),
  /** For a stopped subagent, false discards its report, so that its parent is not woken. Default: true. */
  wake: z.boolean().optional(),
  ...order,
})
/** `itemId`: it waits in the inbox; null: it started a run. `runId`: the run that reads it; null: no active run. */
export const messageSent = z.object({ itemId: id('inb').nullable(), runId: id('run').nullable() })

/** Without `text`, creates a branch without a run. */
export const forkMessage = z.object({ text: words.optional(), ...order }).refine(beginsRun, NO_RUN)
export const editMessage = z.object({ text: words, ...order })
export const regenerateMessage = z.object(order)
/** `runId`: the run started on the new branch. */
export const forked = z.object({ branchId: id('brn'), runId: id('run').optional() })

export const spawnSubagent = z.object({
  task: words,
  agent: z.string().min(1).max(128).default('general'),
  label: z.string().min(1).max(200).optional(),
  /** Delivery of its report: wakes the idle agent above it, is added to its context, or both. */
  deliver: z.enum(['wake', 'announce', 'both']).optional(),
  ...order,
})
export const spawned = z.object({ branchId: id('brn'), runId: id('run') })
