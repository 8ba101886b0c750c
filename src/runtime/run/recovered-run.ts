import type { CallId, RunId } from '../../core/ids.ts'
import type { RunStatus } from '../../core/run-status.ts'
import type { LiveRun } from './live-run.ts'

/** A run that an exited process left behind, and its outcome. */
export interface RecoveredRun {
  readonly run: LiveRun
  /** Its state when found. */
  readonly status: RunStatus
  readonly became: 'queued' | 'paused' | 'failed' | 'cancelled'
  /** Its calls whose effect is unknown. */
  readonly unknown: readonly UnknownCall[]
}

export interface UnknownCall {
  readonly id: CallId
  readonly runId: RunId
  /** The task of the run, and when it started. */
  readonly began: string
}

/**
 * Reports calls that are about to be stored as `unknown`; settles afterwards. If the process dies in between, the next
 * one reports them again (invariant R2).
 */
export type TellUnknown = (calls: readonly UnknownCall[]) => Promise<void>
