import type { CallId, RunId } from '../../core/ids.ts'
import type { RunStatus } from '../../core/run-status.ts'
import type { LiveRun } from './live-run.ts'

/** A run that a process left, and what became of it. */
export interface RecoveredRun {
  readonly run: LiveRun
  /** As it was found. */
  readonly status: RunStatus
  readonly became: 'queued' | 'paused' | 'failed' | 'cancelled'
  /** Its calls whose effect is not known. */
  readonly unknown: readonly UnknownCall[]
}

export interface UnknownCall {
  readonly id: CallId
  readonly runId: RunId
  /** What was started, and when. */
  readonly began: string
}

/**
 * Tells people of calls that are about to be stored as `unknown`; settles once it has. A process that dies in between has
 * told somebody, and the next one tells it again (invariant R2).
 */
export type TellUnknown = (calls: readonly UnknownCall[]) => Promise<void>
