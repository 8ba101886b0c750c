import type { CallId } from '../../core/ids.ts'
import type { RunStatus } from '../../core/run-status.ts'
import type { LiveRun } from './live-run.ts'

/** A run that a process left, and what became of it. */
export interface RecoveredRun {
  readonly run: LiveRun
  /** As it was found. */
  readonly status: RunStatus
  readonly became: 'queued' | 'paused' | 'failed' | 'cancelled'
  /** Calls whose effect is not known: `began` says what was started, and when. */
  readonly unknown: readonly { readonly id: CallId; readonly began: string }[]
}
