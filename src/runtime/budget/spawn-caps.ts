import type { RunId } from '../../core/ids.ts'
import type { RunLimits } from '../../core/run.ts'
import { ToolError } from '../../tools/port.ts'
import type { Accounts } from './accounts.ts'
import { shareOf } from './budget-share.ts'
import { clean, type Ledger } from './ledger.ts'
import { dollars } from './money-text.ts'
import { count } from './token-count.ts'

export type Caps = Pick<RunLimits, 'maxCostUsd' | 'maxTokens' | 'growsTo' | 'asked'>

/** What to reserve: the requested amount, else that of the definition, else a share. */
export interface Wanted {
  readonly asked?: { readonly usd?: number | undefined; readonly tokens?: number | undefined }
  readonly defined?: number | undefined
}

/** The amounts of a call and of a definition, in one unit. */
export interface Amount {
  readonly field: 'max_cost_usd' | 'max_tokens'
  readonly asked: number | undefined
  readonly defined?: number | undefined
}

/**
 * The caps of a subagent that is about to start: a share, or its named amount. It waits for what others hold of that,
 * as long as `comesBack` can return it. @throws ToolError `limit` or `budget` with what was asked, what can be left and
 * who has the rest.
 */
export function spawnCaps(
  accounts: Accounts,
  payer: RunId | null,
  { asked = {}, defined }: Wanted,
  comesBack: ReadonlySet<string>,
): Caps {
  const { money, tokens } = accounts
  const most = (ledger: Ledger) => clean(ledger.mostRoom(payer, comesBack))
  for (const ledger of [money, tokens])
    if (ledger.cap !== 0 && most(ledger) === 0)
      throw new ToolError(
        'budget',
        `cannot start a subagent, no budget is free: ${accounts.figures(ledger, payer)}`,
      )
  const weigh = (ledger: Ledger, amount: Amount) => {
    if ((amount.asked ?? 0) > most(ledger))
      throw tooMuch(accounts, ledger, payer, { ...amount, left: most(ledger) })
    const named =
      amount.asked ?? (amount.defined === undefined ? undefined : Math.min(amount.defined, most(ledger)))
    const free = ledger.free(payer)
    const waits = named !== undefined && free !== null && named > free
    if (waits) return { cap: 0, growsTo: null, asked: named }
    return { ...shareOf(ledger, payer, named, ledger === tokens ? wholeTokens : (usd) => usd), asked: null }
  }
  const usd = weigh(money, { field: 'max_cost_usd', asked: asked.usd, defined })
  const own = weigh(tokens, { field: 'max_tokens', asked: asked.tokens })
  return {
    maxCostUsd: usd.cap,
    maxTokens: own.cap,
    ...unlessNone('growsTo', { maxCostUsd: usd.growsTo, maxTokens: own.growsTo }),
    ...unlessNone('asked', { maxCostUsd: usd.asked, maxTokens: own.asked }),
  }
}

/** More was asked for than can be left. */
export function tooMuch(
  accounts: Accounts,
  ledger: Ledger,
  payer: RunId | null,
  { field, asked, left }: Amount & { readonly left: number },
): ToolError {
  const isMoney = ledger === accounts.money
  const isOwn = payer !== null && ledger.whole(payer) !== ledger.whole(null)
  const rest = isMoney ? `${dollars(left)} that is` : `${count(left)} tokens that are`
  const whose = isOwn ? 'your own run' : 'this conversation'
  const amount = isMoney ? asked : count(asked!)
  const figures = accounts.figures(ledger, payer)
  return new ToolError('limit', `${field} ${amount} is more than the ${rest} left to ${whose}: ${figures}`)
}

/** What a subagent may grow to, by unit; nothing without a named amount. */
export function unlessNone<K extends 'growsTo' | 'asked'>(key: K, amounts: NonNullable<RunLimits[K]>) {
  return amounts.maxCostUsd === null && amounts.maxTokens === null ? {} : { [key]: amounts }
}

/** Whole tokens, except for a tiny share. */
export function wholeTokens(tokens: number): number {
  return tokens < 1 ? tokens : Math.floor(tokens)
}

/** Whether a subagent must wait in one unit: for the rest of its named amount, or for any budget at all. */
export function isLacking(ledger: Ledger, id: string, beyond: boolean): boolean {
  const cap = ledger.capOf(id)
  if (cap === null || ledger.cap === 0) return false
  const lacks = ledger.lacks(id)
  const room = clean(ledger.room(id, beyond))
  return lacks > 0 ? room < clean(cap + lacks) : room === 0
}
