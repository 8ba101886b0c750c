import { clean } from './ledger.ts'

/** Shown if figures are in tokens although a budget in money was set. */
export const UNPRICED = 'the price of a model is unknown, so tokens are capped instead of dollars'

/** Of a cap of 0 nothing is spent: whether a request may be made follows from its price. */
export function moneyReached(spent: number, cap: number | null, whose = ''): string | undefined {
  const isReached = cap !== null && spent > 0 && clean(cap - spent) === 0
  return isReached ? `${dollars(spent)} of ${whose}${dollars(cap)} is spent` : undefined
}

/** Rounds to cents, with more digits for small amounts. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 6 : 2).replace(/(\.\d\d+?)0+$/, '$1')}`
}
