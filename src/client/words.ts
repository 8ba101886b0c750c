import type { RunRow } from '../protocol/run.ts'

/** Words and figures as both UIs show them. */

type State = Pick<RunRow, 'status' | 'reason' | 'endReason' | 'queuePosition' | 'waitingFor' | 'pausing'>

/** `Done`, `Running`, `Waiting for you`, `Queued (2nd)`, `Paused (limit: max turns)`. Only `completed` has another name. */
export function stateWords(run: State): string {
  switch (run.status) {
    case 'completed':
      return 'Done'
    case 'queued':
      return run.queuePosition === null ? 'Queued' : `Queued (${ordinal(run.queuePosition)})`
    case 'running':
      return run.pausing ? 'Running, about to pause' : 'Running'
    case 'waiting':
      return `Waiting for ${waitWords(run)}`
    case 'paused':
      return run.reason === null ? 'Paused' : `Paused (${pauseWords(run)})`
    case 'failed':
      return 'Failed'
    case 'cancelled':
      return 'Cancelled'
  }
}

function waitWords({ reason }: State): string {
  if (reason === 'approval' || reason === 'question') return 'you'
  if (reason === 'children') return 'subagents'
  return reason === 'retry' ? 'the provider' : 'something'
}

function pauseWords({ reason, endReason }: State): string {
  if (reason !== 'limit' || endReason === null) return reason === 'user' ? 'by you' : String(reason)
  return `limit: ${endReason.replaceAll('_', ' ')}`
}

function ordinal(n: number): string {
  const tens = n % 100
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')
  return `${n}${suffix}`
}

/** Icon of a state; the word always stands beside it. */
export function stateMark({ status, reason }: Pick<RunRow, 'status' | 'reason'>): string {
  if (status === 'waiting') return reason === 'approval' || reason === 'question' ? '⚑' : '◌'
  return { queued: '⧗', running: '◐', paused: '⏸', completed: '✓', failed: '✗', cancelled: '⊘' }[status]
}

/** How long something lasts or took, to a whole second: `41s`, `3m07s`, `2h05m`. */
export function durationWords(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

/** null is a price that is not known; offline models cost nothing. */
export function costWords(costUsd: number | null): string {
  if (costUsd === null) return 'cost unknown'
  if (costUsd === 0) return '$0'
  if (costUsd < 0.0005) return '<$0.001'
  return `$${costUsd.toFixed(costUsd < 1 ? 3 : 2)}`
}

/** `950`, `18k`, `1.7M`. */
export function tokenWords(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens))
  if (tokens < 999_500) return `${tokens < 9_950 ? (tokens / 1_000).toFixed(1) : Math.round(tokens / 1_000)}k`
  return `${(tokens / 1_000_000).toFixed(1)}M`
}

/** How long ago: `just now`, `3m ago`, `2d ago`. */
export function agoWords(at: number, now: number): string {
  const minutes = Math.floor(Math.max(0, now - at) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes}m ago`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours}h ago` : `${Math.floor(hours / 24)}d ago`
}
