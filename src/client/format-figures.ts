/** A duration in whole seconds: `41s`, `3m07s`, `2h05m`. */
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

/** null: unknown price; offline models cost nothing. */
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

/** An age: `just now`, `3m ago`, `2d ago`. */
export function agoWords(at: number, now: number): string {
  const minutes = Math.floor(Math.max(0, now - at) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes}m ago`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours}h ago` : `${Math.floor(hours / 24)}d ago`
}
