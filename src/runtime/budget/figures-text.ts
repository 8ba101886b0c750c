import type { RunId } from '../../core/ids.ts'
import type { AccountRow } from './budget-account.ts'
import { clean, type Ledger } from './ledger.ts'
import { dollars } from './money-text.ts'
import { count } from './token-count.ts'

/** Most holders that a refusal names. */
const NAMED = 4

/** `$1.00 of $5.00 is spent, $0.50 is reserved by explore (brn_x)`. `rows`: runs that have not stopped. */
export function figuresText(
  ledger: Ledger,
  payer: RunId | null,
  rows: readonly AccountRow[],
  unit: 'usd' | 'tokens',
): string {
  const figures = new Figures(ledger, new Map(rows.map((row) => [row.id, row])), unit)
  return figures.text(payer)
}

class Figures {
  readonly #ledger: Ledger
  readonly #rows: ReadonlyMap<RunId, AccountRow>
  readonly #isMoney: boolean

  constructor(ledger: Ledger, rows: ReadonlyMap<RunId, AccountRow>, unit: 'usd' | 'tokens') {
    this.#ledger = ledger
    this.#rows = rows
    this.#isMoney = unit === 'usd'
  }

  text(payer: RunId | null): string {
    const id = this.#payerOf(payer)
    const whole = this.#shown(this.#ledger.whole(payer)!)
    const spent = this.#shown(id === null ? this.#ledger.spent : this.#ledger.used(id))
    const own = id === null ? '' : 'its own '
    const used = this.#isMoney
      ? `${spent} of ${own}${whole} is spent`
      : `${spent} of ${own}${whole} tokens are used`
    return [used, ...this.#reservations(id)].join(', ')
  }

  #shown(amount: number): string {
    return this.#isMoney ? dollars(amount) : count(amount)
  }

  #capOf({ limits }: AccountRow): number | null {
    return this.#isMoney ? limits.maxCostUsd : limits.maxTokens
  }

  #payerOf(payer: RunId | null): RunId | null {
    for (let at = payer; at !== null; at = this.#rows.get(at)?.parentRunId ?? null) {
      const row = this.#rows.get(at)
      if (row && this.#capOf(row) !== null) return at
    }
    return null
  }

  #reservations(id: RunId | null): string[] {
    const held = [...this.#rows.values()]
      .map((row) => ({ row, amount: this.#ledger.reservedBy(row.id) }))
      .filter(({ row, amount }) => amount > 0 && row.id !== id && this.#payerOf(row.parentRunId) === id)
      .toSorted((a, b) => b.amount - a.amount)
    const named = held.slice(0, NAMED).map(({ row, amount }) => {
      const how = this.#capOf(row) === null ? 'is held by a request of' : 'is reserved by'
      return `${this.#shown(amount)} ${how} ${row.agent} (${row.branchId})`
    })
    const others = held.slice(NAMED)
    if (others.length === 0) return named
    const rest = this.#shown(clean(others.reduce((sum, { amount }) => sum + amount, 0)))
    return [...named, `${rest} by ${others.length} more`]
  }
}
