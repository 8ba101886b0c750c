import { addUsage, noUsage } from '../../core/usage.ts'
import type { ExportedRun } from '../document.ts'

/** `12,345 in, 678 out`. */
export function tokenTotals(runs: readonly ExportedRun[]): string {
  const { input, output } = runs.map((run) => run.usage).reduce(addUsage, noUsage)
  return `${numberWords(input)} in, ${numberWords(output)} out`
}

export function numberWords(number: number): string {
  return number.toLocaleString('en-US')
}

/** `1 turn`, `3 turns`. */
export function counted(count: number, one: string): string {
  return `${numberWords(count)} ${one}${count === 1 ? '' : 's'}`
}

/** US dollars. null: an unknown price, which is never 0. */
export function costWords(costUsd: number | null): string {
  if (costUsd === null) return 'cost unknown'
  if (costUsd === 0) return '$0'
  if (costUsd < 0.0005) return '<$0.001'
  return `$${costUsd.toFixed(costUsd < 1 ? 3 : 2)}`
}

/** `41s`, `3m07s`, `2h05m`; tenths under ten seconds. */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 10) return `${seconds.toFixed(1)}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return `${Math.floor(seconds)}s`
  if (minutes < 60) return `${minutes}m${two(Math.floor(seconds % 60))}s`
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`
}

/** In UTC, so that exports are equal wherever they are made. An invalid time is shown as its number. */
export function timeWords(ms: number): { readonly iso: string; readonly short: string } {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) return { iso: '', short: String(ms) }
  const iso = date.toISOString()
  return { iso, short: `${iso.slice(0, 16).replace('T', ' ')} UTC` }
}

export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A CSS class for the hue of an agent: one of eight, constant per name. */
export function hueOf(agent: string): string {
  let sum = 0
  for (const char of agent) sum = (sum * 31 + char.codePointAt(0)!) >>> 0
  return `hue-${sum % 8}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
