import { costOf } from '../../model/cost-of-usage.ts'
import { highestPrice } from '../../model/models-and-prices.ts'
import type { UsageAndCost } from './budget-account.ts'
import { dollars } from './money-text.ts'
import { count } from './token-count.ts'

/** What requests count against a cap of dollars. What has no known price counts at the highest list price. */
export function countedUsd({ usage, costUsd }: UsageAndCost): number {
  return costUsd ?? costOf(usage, highestPrice())!
}

/** So many tokens fit into an amount of dollars for certain, whatever kind they are. */
export function surelyFitting(usd: number): number {
  return Math.floor(usd / perToken(highestPrice().output))
}

/** Why an amount in dollars is short although no cost is known. */
export function assumedPriceText(): string {
  const { input, output } = highestPrice()
  return `the price of a model is unknown, so its tokens count at the highest list price: ${dollars(input)} per million of input, ${dollars(output)} of output`
}

/** What a cap of dollars comes to for a model without a known price. */
export function assumedCapText(usd: number): string {
  const { input, output } = highestPrice()
  const tokens = (price: number) => count(usd / perToken(price))
  return `${assumedPriceText()}; ${dollars(usd)} allows ${tokens(input)} tokens of input or ${tokens(output)} of output`
}

function perToken(usdPerMillion: number): number {
  return usdPerMillion / 1_000_000
}
