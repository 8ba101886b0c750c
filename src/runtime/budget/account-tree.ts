/** What a ledger knows about one account: a run, in one unit. */
export interface AccountFacts {
  readonly parent: string | null
  /** Cap for it and everything below; null: it draws on the account above. */
  readonly cap: number | null
  /**
   * What its cap may grow to while budget above it is unreserved; null: it does not grow. A share may exceed this once
   * no other run can continue.
   */
  readonly growsTo: number | null
  /** `growsTo` is its named amount: a hard maximum. */
  readonly isNamed?: boolean
  /** Only an open account reserves its unused part: a stopped one has returned it. */
  readonly isOpen: boolean
}

export interface Account extends AccountFacts {
  /** Spent by itself and everything below. */
  used: number
  /** Held by its own requests in progress. */
  held: number
  /** Spent and held by itself, plus what those below reserve. */
  committed: number
  /** Its claim on the account above: its cap while it is open, and at least what is committed. */
  total: number
  cap: number | null
}

/** Of an amount, what shares leave to whoever it belongs to: enough to conclude with what they report. */
const KEPT = 1 / 20

/** What shares leave of an amount; of none there is nothing to leave. */
export function keptOf(cap: number | null): number {
  return cap === null ? 0 : cap * KEPT
}

/** How much its cap may grow if the account above has that much. `beyond`: no other run can continue. */
export function mostGrowth({ cap, growsTo, isNamed }: Account, beyond: boolean): number {
  if (growsTo === null) return 0
  return beyond && !isNamed ? Infinity : Math.max(0, growsTo - cap!)
}

/** No amount was named for it. */
export function isShare(account: Account | undefined): boolean {
  return account !== undefined && account.growsTo !== null && !account.isNamed
}

/** A part of an amount that a run holds, and its kind. */
export interface Holding {
  readonly amount: number
  readonly by: 'request' | 'run' | 'subagent'
}

/** The accounts of a ledger at one moment, from above. */
export class AccountTree {
  readonly #accounts: ReadonlyMap<string, Account>
  readonly #children: ReadonlyMap<string | null, readonly string[]>

  constructor(accounts: ReadonlyMap<string, Account>) {
    this.#accounts = accounts
    this.#children = Map.groupBy(accounts.keys(), (id) => {
      const { parent } = accounts.get(id)!
      return parent !== null && accounts.has(parent) ? parent : null
    })
  }

  /**
   * What a next request of this account could come to, if those that come back spent nothing more, and no request were
   * under way. `cap`: of the whole.
   */
  laterRoom(id: string | null, cap: number | null, comesBack: ReadonlySet<string>): number {
    const payer = this.#payer(id)
    if (payer === null) return cap === null ? Infinity : cap - this.#laterBelow(null, comesBack)
    const account = this.#accounts.get(payer)!
    const own = account.cap! - this.#ownUse(payer) - this.#laterBelow(payer, comesBack)
    const most = mostGrowth(account, true)
    return most > 0 ? own + Math.max(0, Math.min(most, this.#laterAbove(account, cap, comesBack))) : own
  }

  #laterAbove({ parent, isNamed }: Account, cap: number | null, comesBack: ReadonlySet<string>): number {
    const room = this.laterRoom(parent, cap, comesBack)
    const payer = this.#payer(parent)
    const above = payer === null ? undefined : this.#accounts.get(payer)!
    return isNamed || isShare(above) ? room : room - keptOf(above ? above.cap : cap)
  }

  /** Other holders: not the account, nor those above it, nor, for a share, those below it. */
  holdings(id: string, heldBy: (id: string) => number): readonly Holding[] {
    const own = new Set([id, ...this.#above(id)])
    const below = (parent: string | null): Holding[] =>
      this.#below(parent).flatMap((each) => {
        const { cap, isOpen } = this.#accounts.get(each)!
        if (own.has(each)) return below(each)
        const isShare = isOpen && cap !== null
        const amount = heldBy(each)
        const by = !isShare ? 'request' : parent === null ? 'run' : 'subagent'
        return [...(amount > 0 ? [{ amount, by } as const] : []), ...(isShare ? [] : below(each))]
      })
    return below(null)
  }

  #below(id: string | null): readonly string[] {
    return this.#children.get(id) ?? []
  }

  #above(id: string): string[] {
    const parent = this.#accounts.get(id)?.parent ?? null
    return parent === null ? [] : [parent, ...this.#above(parent)]
  }

  #payer(id: string | null): string | null {
    const account = id === null ? undefined : this.#accounts.get(id)
    if (!account) return null
    return account.isOpen && account.cap !== null ? id : this.#payer(account.parent)
  }

  /** What the account itself has spent. */
  #ownUse(id: string): number {
    return this.#accounts.get(id)!.used - sum(this.#below(id).map((each) => this.#accounts.get(each)!.used))
  }

  #laterBelow(id: string | null, comesBack: ReadonlySet<string>): number {
    return sum(this.#below(id).map((each) => this.#laterTotal(each, comesBack)))
  }

  #laterTotal(id: string, comesBack: ReadonlySet<string>): number {
    const { cap, isOpen } = this.#accounts.get(id)!
    const used = this.#ownUse(id) + this.#laterBelow(id, comesBack)
    return isOpen && cap !== null && !comesBack.has(id) ? Math.max(cap, used) : used
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, each) => all + each, 0)
}
