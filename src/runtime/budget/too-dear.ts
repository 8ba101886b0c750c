import type { Reached } from '../../loop/ports.ts'
import type { Spender } from './budget-account.ts'
import { clean, type Ledger } from './ledger.ts'
import { dollars } from './money-text.ts'
import { leastOf, type RequestCost } from './request-cost.ts'
import { count } from './token-count.ts'

interface Ledgers {
  readonly money: Ledger
  readonly tokens: Ledger
}

/**
 * Why a request is refused whose worst case does not fit, even with the shortest useful answer. `figures`: of what a
 * run draws on, in the unit of a ledger; `left`: what its own cap and that of the conversation leave.
 */
export function tooDear(
  { id, limits }: Spender,
  { input, cost }: { readonly input: number; readonly cost: RequestCost },
  { money, tokens }: Ledgers,
  {
    figures,
    left,
  }: {
    readonly figures: (ledger: Ledger, isShare: boolean, isCapped: boolean) => string
    readonly left: (ledger: Ledger, cap: number | null) => number | null
  },
): Reached {
  const next = leastOf(cost, input)
  const lacksMoney = next.usd > money.room(id, true, next.usd) + 1e-9
  const ledger = lacksMoney ? money : tokens
  const shown = lacksMoney ? dollars : (amount: number) => `${count(amount)} tokens`
  const own = lacksMoney ? limits.maxCostUsd : limits.maxTokens
  const unit = lacksMoney ? 'maxCostUsd' : 'maxTokens'
  const isShare = (limits.growsTo?.[unit] ?? null) !== null || ledger.lacks(id) > 0
  const needed = lacksMoney ? next.usd : next.tokens
  const room = ledger.room(id, true, needed)
  const free = clean(isShare ? room : Math.min(left(ledger, own) ?? Infinity, room))
  const needs = `the next request may ${lacksMoney ? 'cost' : 'take'} ${shown(needed)}`
  const kept = clean(ledger.keptAbove(id, needed))
  const keeps = kept > 0 ? `, ${shown(kept)} ${lacksMoney ? 'was' : 'were'} kept for the agent above it` : ''
  const note = `${needs}, and ${shown(free)} ${lacksMoney ? 'was' : 'were'} left when it paused: ${figures(ledger, isShare, own !== null)}${keeps}`
  return { why: !lacksMoney && own !== null && !isShare ? 'max_tokens' : 'budget', note }
}
