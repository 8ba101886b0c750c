import { z } from 'zod'
import { bounds } from '../core/limits.ts'
import { modelSettingsSchema, type ModelSettings } from '../core/model-settings.ts'
import type { OwnModel } from '../model/custom-models.ts'
import { checkOptions } from './check-options.ts'

export interface EventsOptions {
  /** Starts with stored events after this `seq`. Default: the start of the run. */
  readonly after?: number | undefined
  /**
   * Whether the reader answers questions. While such a stream is open, the conversation is attended, and a call that
   * needs an approval waits for `approvals.answer`; otherwise it is denied at once.
   */
  readonly answers?: boolean | undefined
  /** Aborting ends the stream without an error, as at the end of the run. */
  readonly signal?: AbortSignal | undefined
}

export interface ContinueOptions {
  /** Another model from here on: `provider/model`, or an AI SDK model. Default: its current model. */
  readonly model?: string | OwnModel | undefined
  /**
   * Paths of files whose text it reads first, relative to the directory. The rules of its agent decide without asking.
   */
  readonly files?: readonly string[] | undefined
  /** Additional turns. */
  readonly maxTurns?: number | undefined
  /** Model settings from here on; they override what the run has kept. */
  readonly settings?: ModelSettings | undefined
  /** Budget of the conversation while this process drives it, US dollars. */
  readonly budgetUsd?: number | undefined
  /** For a stopped subagent, false discards its report, so that its parent is not woken and billed. */
  readonly wake?: boolean | undefined
}

export interface ForkOptions {
  /** Default: the last message of the run. */
  readonly messageId?: string | undefined
  readonly model?: string | undefined
  /** Default: as many as the original run has. */
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
  settings: modelSettingsSchema().optional(),
  budgetUsd: dollars,
  wake: z.boolean().optional(),
})
const forkSchema = z.strictObject({
  model: z.string().min(1).optional(),
  maxTurns: positive,
  budgetUsd: dollars,
})

/** @throws OffshootError `usage`, like the functions below. */
export function checkEvents(options: unknown = {}) {
  return checkOptions(eventsSchema, options, 'events')
}

export function checkContinue(options: unknown = {}) {
  return checkOptions(continueSchema, options, 'continue')
}

export function checkFork(options: unknown = {}) {
  return checkOptions(forkSchema, options, 'fork')
}
