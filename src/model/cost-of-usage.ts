import type { Usage } from '../core/usage.ts'
import type { Price } from './port.ts'

export const free: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** Cost of one request in US dollars; null while the price is unknown. Add up costs, not usage. */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (!price) return null
  const { input, output, cacheRead, cacheWrite } =
    price.long && usage.input > price.long.overTokens ? price.long : price
  const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite)
  const perMillion =
    fresh * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output
  return perMillion / 1_000_000
}
