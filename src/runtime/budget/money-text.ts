import { clean } from './ledger.ts'

/** With a cap of 0 nothing is spent: the price decides whether a request may be made. */
export function moneyReached(spent: number, cap: number | null, whose = ''): string | undefined {
  const isReached = cap !== null && spent > 0 && clean(cap - spent) === 0
  return isReached ? `${dollars(spent)} of ${whose}${dollars(cap)} is spent` : undefined
}

/** Rounds to cents, with more digits for small amounts. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 6 : 2).replace(/(\.\d\d+?)0+$/, '$1')}`
}
