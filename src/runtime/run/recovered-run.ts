import type { CallId, RunId } from '../../core/ids.ts'
import type { RunStatus } from '../../core/run-status.ts'
import type { LiveRun } from './live-run.ts'

/** A run left by an exited process, and its outcome. */
export interface RecoveredRun {
  readonly run: LiveRun
  /** Its state when found. */
  readonly status: RunStatus
  readonly became: 'queued' | 'paused' | 'failed' | 'cancelled'
  /** Its calls with unknown effect. */
  readonly unknown: readonly UnknownCall[]
}

export interface UnknownCall {
  readonly id: CallId
  readonly runId: RunId
  /** What was started, and when. */
  readonly began: string
}

/**
 * Reports calls that are about to be stored as `unknown`; settles afterwards. If the process dies in between, the next
 * one reports them again (invariant R2).
 */
export type TellUnknown = (calls: readonly UnknownCall[]) => Promise<void>
