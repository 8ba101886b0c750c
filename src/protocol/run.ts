import { z } from 'zod'
import {
  callError,
  cost,
  count,
  effort,
  endReason,
  errorShape,
  finishReason,
  grant,
  id,
  ms,
  runReason,
  runStatus,
  usage,
} from './fields.ts'

const waitingFor = z
  .object({
    what: z.enum(['approval', 'question', 'children', 'retry']),
    code: z.enum(['budget']).optional(),
    detail: z.string(),
    since: ms,
    until: ms.optional(),
  })
  .readonly()

const lastAction = z.object({ tool: z.string(), title: z.string(), at: ms }).readonly()

/** Figures of several runs together; each run counts once. */
export const totals = z.object({ runs: count, toolCalls: count, usage, costUsd: cost }).readonly()
export type Totals = z.infer<typeof totals>

/** What a branch does or waits for, why, since when, and the verb that helps. */
const statusLine = z
  .object({
    state: z.string(),
    detail: z.string().nullable(),
    since: ms.nullable(),
    until: ms.nullable(),
    verb: z
      .object({ name: z.enum(['approve', 'answer', 'continue', 'recover']), id: z.string().nullable() })
      .readonly()
      .nullable(),
  })
  .readonly()

/** One run as clients see it. */
export const run = z
  .object({
    id: id('run'),
    conversationId: id('cnv'),
    branchId: id('brn'),
    parentRunId: id('run').nullable(),
    /** The call of its parent that started it; null for a main run and for one started by a person. */
    callId: id('cal').nullable(),
    /** 0 for a main run. */
    depth: count,
    agent: z.string(),
    model: z.string(),
    /** The request in short. */
    task: z.string(),
    background: z.boolean(),
    status: runStatus,
    reason: runReason,
    endReason,
    finishReason,
    waitingFor: waitingFor.nullable(),
    /** Who asked it to pause at its next boundary. */
    pausing: z.enum(['user', 'parent']).nullable(),
    lastAction: lastAction.nullable(),
    attempt: count,
    turns: count,
    maxTurns: count,
    toolCalls: count,
    usage,
    costUsd: cost,
    queuedAt: ms,
    startedAt: ms.nullable(),
    /** When it stopped or paused; null: it is active. */
    endedAt: ms.nullable(),
    /** 1: next in its conversation to get a slot; null: not waiting for a slot. */
    queuePosition: z.int().min(1).nullable(),
    /** The first sentence of its report; null until it stops, or if there is none. */
    headline: z.string().nullable(),
    /** For a paused run: delivered reports that no request has read. Absent: none. */
    unreadReports: count.optional(),
    error: errorShape.nullable(),
    /** Where its tools work, if not in the directory of the conversation. */
    directory: z.string().nullable(),
    effort,
    /** What the user delegated to its agent. */
    delegations: z.array(grant).readonly(),
    /** Remaining budget when requested; null: no cap, or a price is unknown. */
    budgetLeftUsd: z.number().nullable(),
    budgetLeftTokens: z.number().nullable(),
    /** Reserved for what it started, beyond what is spent. */
    reservedUsd: z.number(),
    reservedTokens: z.number(),
    /** For the latest run of a branch. Snapshots omit it: the client derives it (`statusOf`). */
    statusLine: statusLine.optional(),
    /** The run and everything below it. */
    subtree: totals,
  })
  .readonly()
export type RunRow = z.infer<typeof run>

const callStatus = z.enum([
  'pending',
  'awaiting_approval',
  'running',
  'completed',
  'failed',
  'denied',
  'skipped',
  'unknown',
])

/** A tool call without input and output, which are message parts. */
export const call = z
  .object({
    id: id('cal'),
    branchId: id('brn'),
    runId: id('run'),
    tool: z.string(),
    /** Set by the tool: `Read lib/auth.ts:1-80`. */
    title: z.string(),
    status: callStatus,
    exitCode: z.int().nullable(),
    error: callError.nullable(),
    startedAt: ms,
    endedAt: ms.nullable(),
  })
  .readonly()
export type CallRow = z.infer<typeof call>
