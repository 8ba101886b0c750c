import { clean } from './ledger.ts'

/** Of a cap of 0 nothing is spent: whether a request may be made follows from its price. */
export function moneyReached(spent: number, cap: number | null, whose = ''): string | undefined {
  const isReached = cap !== null && spent > 0 && clean(cap - spent) === 0
  return isReached ? `${dollars(spent)} of ${whose}${dollars(cap)} are spent` : undefined
}

/** Cents, and as much more as small sums need. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 6 : 2).replace(/(\.\d\d+?)0+$/, '$1')}`
}
