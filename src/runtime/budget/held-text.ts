import type { Ledger } from './ledger.ts'
import { dollars } from './money-text.ts'
import type { RequestCost } from './request-cost.ts'
import { count } from './token-count.ts'

/** Why a request has to wait: what of the conversation is reserved, in the unit that the request lacks, and by what. */
export function heldText(
  id: string,
  { inputUsd, outputUsdPerToken, fair }: RequestCost,
  money: Ledger,
  tokens: Ledger,
): string {
  const lacksMoney = inputUsd + fair * outputUsdPerToken > money.room(id)
  const ledger = lacksMoney ? money : tokens
  const reserved = ledger.reservedBelow(null)
  const amount = lacksMoney ? `${dollars(reserved)} is` : `${count(reserved)} tokens are`
  const { held, shares } = ledger
  const requests = held > 0 ? ['running requests'] : []
  const runs = shares > 0 ? [`${shares} ${shares === 1 ? 'subagent' : 'subagents'}`] : []
  return `${amount} reserved by ${[...requests, ...runs].join(' and ')}`
}
