import { durationWords } from '../../../client/format-figures.ts'
import type { RunLine } from './progress-tree.ts'

/** How long something took. */
export function took(ms: number): string {
  return ms < 9_950 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : durationWords(ms)
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** null is a price that is not known; offline models cost nothing. */
export function money(costUsd: number | null): string {
  if (costUsd === null) return 'cost unknown'
  if (costUsd === 0) return '$0'
  return costUsd < 0.0005 ? '<$0.001' : `$${costUsd.toFixed(3)}`
}

/** Whether a person is asked something by this run. */
export function needsYou({ endedAt, asks }: RunLine): boolean {
  return endedAt === null && asks.length > 0
}

/** How a run stopped: "done in 3s", "paused (limit: max turns) after 3s". */
export function outcome({ status, startedAt, endedAt }: RunLine, why: string | null): string {
  const time = took((endedAt ?? startedAt) - startedAt)
  if (status === 'completed') return `done in ${time}`
  return `${status}${status === 'paused' && why !== null ? ` (${why})` : ''} after ${time}`
}
