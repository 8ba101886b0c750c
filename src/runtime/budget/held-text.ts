import type { Ledger } from './ledger.ts'
import { dollars } from './money-text.ts'
import type { RequestCost } from './request-cost.ts'
import { count } from './token-count.ts'

/** Why a request has to wait: what of the conversation is reserved, in the unit that the request lacks. */
export function heldText(
  id: string,
  { inputUsd, outputUsdPerToken, fair }: RequestCost,
  money: Ledger,
  tokens: Ledger,
): string {
  const lacksMoney = inputUsd + fair * outputUsdPerToken > money.room(id)
  const held = lacksMoney
    ? `${dollars(money.reservedBelow(null))} is`
    : `${count(tokens.reservedBelow(null))} tokens are`
  return `${held} reserved by running requests`
}
