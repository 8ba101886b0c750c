import type { RunId } from '../../core/ids.ts'
import { clean, type Ledger } from './ledger.ts'

/** A spawn without a named amount reserves this part of what is unreserved, and never more of the whole. */
const SHARE = 1 / 4

/** Reserves nothing if there is no cap and no named amount. */
export function shareOf(
  ledger: Ledger,
  payer: RunId | null,
  named: number | undefined,
  round: (amount: number) => number,
): { readonly cap: number | null; readonly growsTo: number | null } {
  const free = ledger.free(payer)
  if (named !== undefined) return { cap: free === null ? named : Math.min(named, free), growsTo: null }
  if (free === null) return { cap: null, growsTo: null }
  return { cap: clean(round(free * SHARE)), growsTo: clean(round(ledger.whole(payer)! * SHARE)) }
}

/** Sum of shares and named amounts in order, and what remains free; null: no cap. */
export function forecastOf(whole: number | null, named: readonly (number | undefined)[]) {
  let free = whole
  let sum: number | null = 0
  for (const amount of named) {
    const cap: number | null = free === null ? (amount ?? null) : Math.min(amount ?? free * SHARE, free)
    sum = sum === null || cap === null ? null : sum + cap
    if (free !== null) free -= cap!
  }
  return { sum, free }
}

/** The smaller of two caps. */
export function least(a: number | null | undefined, b: number | null | undefined): number | null {
  return a === null || a === undefined ? (b ?? null) : Math.min(a, b ?? a)
}
