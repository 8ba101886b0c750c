import type { Holding } from './account-tree.ts'
import { clean, type Ledger } from './ledger.ts'
import { dollars } from './money-text.ts'
import type { RequestCost } from './request-cost.ts'
import { count } from './token-count.ts'

/** Why a request must wait: what others hold, in the unit that it lacks, and who they are. */
export function heldText(
  id: string,
  { inputUsd, outputUsdPerToken, fair }: RequestCost,
  money: Ledger,
  tokens: Ledger,
): string {
  const lacksMoney = inputUsd + fair * outputUsdPerToken > money.room(id) + 1e-9
  return holdingsText(lacksMoney ? money : tokens, id, lacksMoney)
}

/** What other runs hold, and who they are: `8,000 tokens are reserved by 1 subagent`. */
export function holdingsText(ledger: Ledger, id: string, isMoney: boolean): string {
  const holdings = ledger.holdings(id)
  const held = clean(holdings.reduce((sum, { amount }) => sum + amount, 0))
  const amount = isMoney ? `${dollars(held)} is` : `${count(held)} tokens are`
  const of = (by: Holding['by']) => holdings.filter((each) => each.by === by).length
  const words = [
    ...(of('request') > 0 ? ['running requests'] : []),
    ...counted(of('run'), 'other run'),
    ...counted(of('subagent'), 'subagent'),
  ]
  return `${amount} reserved by ${words.join(' and ')}`
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`]
}
