import { wasRefused, stateWords, type StatusLine } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import type { IconName } from './icon.tsx'
import { counted } from './format.ts'

export interface RunLook {
  readonly icon: IconName
  /** CSS class of the colour. */
  readonly tone: string
  /** Says the same as icon and colour. */
  readonly word: string
  readonly spins: boolean
}

/** The fields of a run that determine its state. */
type RunStateFields = Pick<
  RunRow,
  'status' | 'reason' | 'endReason' | 'queuePosition' | 'waitingFor' | 'pausing'
>

export function lookOf(run: RunStateFields): RunLook {
  const isPausing = isLive(run) && Boolean(run.pausing)
  const picture = isPausing ? { icon: 'pause' as const, tone: 'text-paused' } : pictureOf(run)
  return { ...picture, word: stateWords(run), spins: run.status === 'running' && !isPausing }
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

/** Whether Continue can help. A refused run would send the same request and be refused again. */
export function canContinue(run: RunRow): boolean {
  return run.status === 'paused' || (run.status === 'failed' && !wasRefused(run))
}

/** Duration so far, or the final one. Milliseconds. */
export function elapsedOf(run: Pick<RunRow, 'startedAt' | 'queuedAt' | 'endedAt'>, now: number): number {
  return Math.max(0, (run.endedAt ?? now) - (run.startedAt ?? run.queuedAt))
}

/** What a run does now, why it does not run, or its result. */
export function detailOf(run: RunRow, { state, detail }: StatusLine): string {
  switch (run.status) {
    case 'running':
    case 'waiting':
    case 'queued':
      return detail ?? state
    case 'failed':
      return [detail ?? state, !canContinue(run) && run.error?.hint].filter(Boolean).join('. ')
    case 'completed':
      return detail ?? run.headline ?? counted(run.toolCalls, 'tool call')
    case 'paused':
    case 'cancelled': // quoted, so that an agent's words do not read as the reason
      return [detail, run.headline && `“${run.headline}”`].filter(Boolean).join(' · ')
  }
}

/** `detailOf` with the state in front, unless the icon already says it. */
export function lineOf(run: RunRow, line: StatusLine): string {
  const isSaid = line.state === 'Running' || line.state === 'Done'
  const detail = detailOf(run, line)
  return isSaid || detail === line.state ? detail : `${line.state}: ${detail}`
}
