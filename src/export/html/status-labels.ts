import type { RunStatus } from '../../core/run-status.ts'
import type { CallEnd } from '../../core/report/call-end.ts'
import type { ShownRun } from '../status-words.ts'

/** How a state is shown: a word, an equivalent mark, and a colour class. */
export interface Look {
  readonly word: string
  readonly mark: string
  readonly tone: string
}

export function runLook({ status, words: word, isLeft }: ShownRun): Look {
  return { ...RUN_LOOKS[isLeft ? 'paused' : status], word }
}

const RUN_LOOKS: Readonly<Record<RunStatus, Omit<Look, 'word'>>> = {
  queued: { mark: '⧗', tone: 'quiet' },
  running: { mark: '◐', tone: 'running' },
  waiting: { mark: '⚑', tone: 'needs' },
  paused: { mark: '‖', tone: 'paused' },
  completed: { mark: '✓', tone: 'done' },
  failed: { mark: '✗', tone: 'failed' },
  cancelled: { mark: '⊘', tone: 'quiet' },
}

/** undefined: the call has neither a result nor a journal. */
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

/** `fork` for a document's `human`. */
export function kindWord(type: string): string {
  return type === 'human' ? 'fork' : type
}
