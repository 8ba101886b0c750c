import { z } from 'zod'
import { bounds } from '../core/limits.ts'
import type { OwnModel } from '../model/custom-models.ts'
import { checkOptions } from './check-options.ts'

export interface EventsOptions {
  /** Stored events after this `seq`; default: from the beginning of the run. */
  readonly after?: number | undefined
  /**
   * Whether whoever reads answers questions. While such a stream is open the conversation is attended, and a call that
   * needs an approval waits for `approvals.answer`; otherwise it is denied at once.
   */
  readonly answers?: boolean | undefined
  /** Ends the stream when it aborts: the loop is left as at the end of the run, and nothing is thrown. */
  readonly signal?: AbortSignal | undefined
}

export interface ContinueOptions {
  /** Another model from here on: `provider/model`, or one of the AI SDK. Default: the one that it has. */
  readonly model?: string | OwnModel | undefined
  /** Paths of files whose text it reads first, relative to the directory. The rules of its agent decide; nobody is asked. */
  readonly files?: readonly string[] | undefined
  /** Turns beyond those that are used. */
  readonly maxTurns?: number | undefined
  /** What the conversation may spend while it is driven, US dollars. */
  readonly budgetUsd?: number | undefined
  /** false, of a subagent that has stopped: its report goes to nobody, so that its parent is not woken and billed. */
  readonly wake?: boolean | undefined
}

export interface ForkOptions {
  /** Default: the last message of the run. */
  readonly messageId?: string | undefined
  readonly model?: string | undefined
  /** Default: as many as the run that it leaves. */
  readonly maxTurns?: number | undefined
  readonly budgetUsd?: number | undefined
}

export const positive = z.int().min(1).optional()
export const dollars = z.number().min(0).optional()

const eventsSchema = z.strictObject({
  after: z.int().min(0).optional(),
  answers: z.boolean().default(false),
  signal: z.instanceof(AbortSignal, { error: 'expected an AbortSignal' }).optional(),
})
const continueSchema = z.strictObject({
  model: z.unknown().optional(),
  files: z.array(z.string().min(1)).max(bounds.filesGiven).optional(),
  maxTurns: positive,
  budgetUsd: dollars,
  wake: z.boolean().optional(),
})
const forkSchema = z.strictObject({
  model: z.string().min(1).optional(),
  maxTurns: positive,
  budgetUsd: dollars,
})

/** @throws OffshootError `usage`, as those below. */
export function checkEvents(options: unknown = {}) {
  return checkOptions(eventsSchema, options, 'events')
}

export function checkContinue(options: unknown = {}) {
  return checkOptions(continueSchema, options, 'continue')
}

export function checkFork(options: unknown = {}) {
  return checkOptions(forkSchema, options, 'fork')
}
