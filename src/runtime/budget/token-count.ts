import type { Usage } from '../../core/usage.ts'
import { clean } from './ledger.ts'

/** The tokens that count against a cap: input, whatever of it came from a cache, and output. */
export function tokensOf({ input, output }: Usage): number {
  return input + output
}

/** Of a cap of 0 nothing is spent: whether a request may be made follows from its price. */
export function moneyReached(spent: number, cap: number | null, whose = ''): string | undefined {
  const isReached = cap !== null && spent > 0 && clean(cap - spent) === 0
  return isReached ? `${dollars(spent)} of ${whose}${dollars(cap)} are spent` : undefined
}

export function tokensReached(used: number, cap: number | null, whose = ''): string | undefined {
  return cap === null || used < cap ? undefined : `${count(used)} of ${whose}${count(cap)} tokens are used`
}

/** Cents, and as much more as small sums need. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 6 : 2).replace(/(\.\d\d+?)0+$/, '$1')}`
}

export function count(tokens: number): string {
  return Math.floor(tokens).toLocaleString('en-US')
}
