import { stateWords } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import type { IconName } from './icon.tsx'
import { counted } from './format.ts'

export interface RunLook {
  readonly icon: IconName
  /** A class for its colour. */
  readonly tone: string
  /** The icon and the colour say the same. */
  readonly word: string
  readonly spins: boolean
}

/** What of a run its state is told from. */
type RunStateFields = Pick<
  RunRow,
  'status' | 'reason' | 'endReason' | 'queuePosition' | 'waitingFor' | 'pausing'
>

export function lookOf(run: RunStateFields): RunLook {
  return { ...pictureOf(run), word: stateWords(run), spins: run.status === 'running' }
}

function pictureOf(run: RunStateFields): { icon: IconName; tone: string } {
  switch (run.status) {
    case 'queued':
      return { icon: 'queued', tone: 'text-ink-3' }
    case 'running':
      return { icon: 'running', tone: 'text-running' }
    case 'waiting':
      return needsYou(run) ? { icon: 'flag', tone: 'text-needs' } : { icon: 'waiting', tone: 'text-running' }
    case 'paused':
      return { icon: 'pause', tone: 'text-paused' }
    case 'completed':
      return { icon: 'check', tone: 'text-done' }
    case 'failed':
      return { icon: 'x', tone: 'text-failed' }
    case 'cancelled':
      return { icon: 'stop', tone: 'text-ink-3' }
  }
}

export function needsYou({ status, reason }: Pick<RunRow, 'status' | 'reason'>): boolean {
  return status === 'waiting' && (reason === 'approval' || reason === 'question')
}

export function isLive({ status }: Pick<RunRow, 'status'>): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting'
}

/** How long it has taken so far, or took. Milliseconds. */
export function elapsedOf(run: Pick<RunRow, 'startedAt' | 'queuedAt' | 'endedAt'>, now: number): number {
  return (run.endedAt ?? now) - (run.startedAt ?? run.queuedAt)
}

/** What it does now, or what came of it. */
export function activityOf(run: RunRow): string {
  switch (run.status) {
    case 'queued':
      return 'waits for a free slot'
    case 'running':
      return run.lastAction?.title ?? 'thinking'
    case 'waiting':
      return run.waitingFor?.detail ?? run.lastAction?.title ?? ''
    case 'paused':
    case 'completed':
      return run.headline ?? counted(run.toolCalls, 'tool call')
    case 'failed':
      return run.error?.message ?? 'an error'
    case 'cancelled':
      return run.headline ?? (run.endReason === 'parent' ? 'with its parent' : 'by you')
  }
}
