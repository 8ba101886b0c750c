import { z } from 'zod'
import { count, id, ms, runReason, runStatus, words } from './fields.ts'

/** Verbs on a run, on the latest run of a branch, or on a whole conversation (docs/control.md). */

export const nothing = z.strictObject({}) as z.ZodType<object, object>

export const continueRun = z.object({
  /** Default: "Continue your previous work." */
  text: words.optional(),
  /** `provider/model` from here on. Default: the current one. */
  model: z.string().min(1).optional(),
  maxTurns: z.int().min(1).optional(),
  budgetUsd: z.number().min(0).optional(),
  /** For a stopped subagent, false discards its report, so that its parent is not woken. Default: true. */
  wake: z.boolean().optional(),
})
/** `steered`: it was active and reads the text at its next turn. */
export const continued = z.object({
  outcome: z.enum(['continued', 'steered']),
  branchId: id('brn'),
  runId: id('run'),
  status: runStatus,
})

export const steerRun = z.object({ text: words })
/** `waits`: no process drives it; it reads this when it resumes. */
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
  /** When it stopped; null: it has been continued since. */
  endedAt: ms.nullable(),
})

/** `runs`: number of affected runs, including those below. */
export const conversationInterrupted = interrupted.extend({ runs: count })

/** `paused`: how many of them have paused by now; the others pause at their next boundary. */
export const paused = z.object({ runs: count, paused: count })

export const backgrounded = z.object({ branchId: id('brn'), runId: id('run'), status: runStatus })

/** `ifStoppedAt`: only if it is still stopped since that time; otherwise 409. */
export const cancelRun = z.strictObject({ ifStoppedAt: ms.optional() })
/** `runs`: number of cancelled runs, including those below. `left`: pids of processes that could not be stopped. */
export const cancelled = z.object({
  outcome: z.enum(['cancelled', 'already_finished']),
  status: runStatus.nullable(),
  runs: count,
  left: z.array(z.int()).readonly(),
})

/** Number of cancelled runs. */
export const closed = z.object({ runs: count })
export const deleted = z.object({ id: z.string() })
