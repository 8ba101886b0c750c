import { stopCause, type RunStatus } from '../../core/run-status.ts'
import type { CallEnd } from '../../core/report/call-end.ts'
import type { ExportedRun } from '../document.ts'

/** How a state looks: a word, a mark that says the same, and the class of its colour. */
export interface Look {
  readonly word: string
  readonly mark: string
  readonly tone: string
}

export function runLook({ status, reason, endReason }: ExportedRun): Look {
  const look = RUN_LOOKS[status]
  const why = stopCause({ reason, endReason })
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
export function callLook(end: CallEnd | undefined): Look {
  return end ? { ...CALL_LOOKS[end.kind], word: end.words } : { word: 'no result', mark: '·', tone: 'quiet' }
}

const CALL_LOOKS: Readonly<Record<CallEnd['kind'], Omit<Look, 'word'>>> = {
  pending: { mark: '⧗', tone: 'quiet' },
  awaiting_approval: { mark: '⚑', tone: 'needs' },
  running: { mark: '◐', tone: 'running' },
  completed: { mark: '✓', tone: 'done' },
  started: { mark: '✓', tone: 'quiet' },
  paused: { mark: '‖', tone: 'paused' },
  failed: { mark: '✗', tone: 'failed' },
  denied: { mark: '⊘', tone: 'failed' },
  interrupted: { mark: '⊘', tone: 'quiet' },
  cancelled: { mark: '⊘', tone: 'quiet' },
  not_run: { mark: '·', tone: 'quiet' },
  unknown: { mark: '?', tone: 'needs' },
}

/** `fork` for what a document calls `human`. */
export function kindWord(type: string): string {
  return type === 'human' ? 'fork' : type
}
