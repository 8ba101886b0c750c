import { z } from 'zod'
import { count, id, ms, runReason, runStatus, words } from './fields.ts'

/** Verbs on a run, on the latest run of a branch, or on everything in a conversation (docs/control.md). */

export const nothing = z.strictObject({}) as z.ZodType<object, object>

export const continueRun = z.object({
  /** Default: "Continue your previous work." */
  text: words.optional(),
  /** `provider/model`, from here on. Default: the one that it has. */
  model: z.string().min(1).optional(),
  maxTurns: z.int().min(1).optional(),
  budgetUsd: z.number().min(0).optional(),
  /** false, where a subagent has stopped: its report goes to nobody, so that its parent is not woken. Default: true. */
  wake: z.boolean().optional(),
})
/** `steered`: it had not stopped, and reads the text at its next turn. */
export const continued = z.object({
  outcome: z.enum(['continued', 'steered']),
  branchId: id('brn'),
  runId: id('run'),
  status: runStatus,
})

export const steerRun = z.object({ text: words })
/** `waits`: nobody drives it; it reads this when it is taken up again. */
export const steered = z.object({
  itemId: id('inb'),
  branchId: id('brn'),
  runId: id('run'),
  status: runStatus,
  waits: z.boolean(),
})

export const interrupted = z.object({
  branchId: id('brn'),
  runId: id('run'),
  status: runStatus,
  reason: runReason,
  /** When it stopped; null: somebody has continued it since. */
  endedAt: ms.nullable(),
})

/** `runs`: how many it reached, those below included. */
export const conversationInterrupted = interrupted.extend({ runs: count })

/** `paused`: how many of the reached have paused by now; the others do at their next boundary. */
export const paused = z.object({ runs: count, paused: count })

export const backgrounded = z.object({ branchId: id('brn'), runId: id('run'), status: runStatus })

/** `ifStoppedAt`: only where it is still as it was when it stopped at that time; else 409. */
export const cancelRun = z.strictObject({ ifStoppedAt: ms.optional() })
/** `runs`: how many it ended, those below included. `left`: pids of processes that could not be ended. */
export const cancelled = z.object({
  outcome: z.enum(['cancelled', 'already_finished']),
  status: runStatus.nullable(),
  runs: count,
  left: z.array(z.int()).readonly(),
})

/** How many runs it ended. */
export const closed = z.object({ runs: count })
export const deleted = z.object({ id: z.string() })
