import { costWords, durationWords, type LayoutRow } from 'offshoot/client'

/** The status line for a run that is known only from its events. */
export function saidOf({ status }: Pick<LayoutRow, 'status'>) {
  return {
    status,
    reason: null,
    endReason: null,
    queuePosition: null,
    waitingFor: null,
    pausing: null,
  } as const
}

/** null: the price is unknown, or nothing was spent. */
export function shareWords(share: number | null): string {
  if (share === null) return '–'
  return share > 0 && share < 0.01 ? '<1%' : `${Math.round(share * 100)}%`
}

/** Short enough for a narrow column. */
export function shortCost(costUsd: number | null): string {
  return costUsd === null ? '$?' : costWords(costUsd)
}

/** Precise for short spans: `340ms`, `3.4s`, `41s`, `3m07s`. */
export function spanWords(ms: number): string {
  if (ms > 0 && ms < 1000) return `${Math.max(1, Math.round(ms))}ms`
  return ms > 0 && ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : durationWords(ms)
}

/** Precise enough to tell two ticks apart: `250ms`, `1.5s`, `40s`, `3m 20s`, `2h 05m`. */
export function tickWords(ms: number): string {
  if (ms === 0) return '0'
  if (ms < 1000) return `${ms}ms`
  if (ms < 60_000) return `${ms / 1000}s`
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.round((ms % 60_000) / 1000)]
  if (minutes < 60) return seconds === 0 ? `${minutes}m` : `${minutes}m ${seconds}s`
  return `${Math.floor(minutes / 60)}h${minutes % 60 === 0 ? '' : ` ${String(minutes % 60).padStart(2, '0')}m`}`
}
