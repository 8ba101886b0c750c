import type { RunLine } from './tree.ts'

/** How long something has lasted: whole seconds, so that it does not flicker. */
export function lasting(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`
}

/** How long something took. */
export function took(ms: number): string {
  return ms < 9_950 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : lasting(ms)
}

function two(number: number): string {
  return String(number).padStart(2, '0')
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

/** How a run stopped: "done in 3s", "paused (limit) after 3s". */
export function outcome({ status, reason, startedAt, endedAt }: RunLine): string {
  const time = took((endedAt ?? startedAt) - startedAt)
  if (status === 'completed') return `done in ${time}`
  return `${status}${reason ? ` (${reason})` : ''} after ${time}`
}
