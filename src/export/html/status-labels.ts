import type { RunStatus } from '../../core/run-status.ts'
import type { ToolResultStatus } from '../../core/message.ts'
import type { ToolCallStatus } from '../../core/run.ts'
import type { ExportedRun } from '../document.ts'

/** How a state looks: a word, a mark that says the same, and the class of its colour. */
export interface Look {
  readonly word: string
  readonly mark: string
  readonly tone: string
}

export function runLook({ status, reason, endReason }: ExportedRun): Look {
  const look = RUN_LOOKS[status]
  const why = reason === 'limit' && endReason ? `limit: ${endReason.replaceAll('_', ' ')}` : reason
  return why ? { ...look, word: `${look.word} (${why})` } : look
}

const RUN_LOOKS: Readonly<Record<RunStatus, Look>> = {
  queued: { word: 'Queued', mark: '⧗', tone: 'quiet' },
  running: { word: 'Running', mark: '◐', tone: 'running' },
  waiting: { word: 'Waiting', mark: '⚑', tone: 'needs' },
  paused: { word: 'Paused', mark: '‖', tone: 'paused' },
  completed: { word: 'Done', mark: '✓', tone: 'done' },
  failed: { word: 'Failed', mark: '✗', tone: 'failed' },
  cancelled: { word: 'Cancelled', mark: '⊘', tone: 'quiet' },
}

/** undefined: there is neither a result nor a journal of the call. */
export function callLook(status: ToolCallStatus | ToolResultStatus | undefined): Look {
  return status ? CALL_LOOKS[status] : { word: 'no result', mark: '·', tone: 'quiet' }
}

const CALL_LOOKS: Readonly<Record<ToolCallStatus, Look>> = {
  pending: { word: 'not begun', mark: '⧗', tone: 'quiet' },
  awaiting_approval: { word: 'waits for approval', mark: '⚑', tone: 'needs' },
  running: { word: 'was running', mark: '◐', tone: 'running' },
  completed: { word: 'done', mark: '✓', tone: 'done' },
  failed: { word: 'failed', mark: '✗', tone: 'failed' },
  denied: { word: 'denied', mark: '⊘', tone: 'failed' },
  skipped: { word: 'not run', mark: '·', tone: 'quiet' },
  unknown: { word: 'interrupted, its effect is not known', mark: '?', tone: 'needs' },
}

/** `fork` for what a document calls `human`. */
export function kindWord(type: string): string {
  return type === 'human' ? 'fork' : type
}
