/** What a ledger has to know of one account: of a run, in one unit. */
export interface AccountFacts {
  readonly parent: string | null
  /** What it and everything below it may come to; null: it draws on what is above it. */
  readonly cap: number | null
  /**
   * What its cap grows to while there is something unreserved above it; null: it does not grow. A share may outgrow that
   * once nobody else can go on.
   */
  readonly growsTo: number | null
  /** `growsTo` is what was named for it: it never grows beyond that. */
  readonly isNamed?: boolean
  /** Only an open one holds what it has not used: the rest of one that has stopped went back. */
  readonly isOpen: boolean
}

export interface Account extends AccountFacts {
  /** Spent by itself and by all below it. */
  used: number
  /** Of its own requests that are under way. */
  held: number
  /** Spent and held by itself, and what those below stand for. */
  committed: number
  /** What it stands for in the account above: its cap while it is open, and never less than is committed. */
  total: number
  cap: number | null
}

/** Of an amount, what shares leave to whoever it belongs to: enough to conclude with what they report. */
const KEPT = 1 / 20
/** Of an amount, what may stay unused while a request waits for it. */
const UNUSED = 1 / 10

/**
 * What shares leave of an amount; of none there is nothing to leave. `next`: what the request needs that asks. If it does
 * not fit, up to as much stays unused beside what was kept: a large one is left less, so that both stay within a tenth.
 */
export function keptOf(cap: number | null, next: number): number {
  return cap === null ? 0 : Math.max(0, Math.min(cap * KEPT, cap * UNUSED - next))
}

/** How much its cap may grow, if there is as much above it. `beyond`: nobody else can go on. */
export function mostGrowth({ cap, growsTo, isNamed }: Account, beyond: boolean): number {
  if (growsTo === null) return 0
  return beyond && !isNamed ? Infinity : Math.max(0, growsTo - cap!)
}

/** Nobody has named its amount. */
export function isShare(account: Account | undefined): boolean {
  return account !== undefined && account.growsTo !== null && !account.isNamed
}

/** What somebody holds of an amount, and what that is. */
export interface Holding {
  readonly amount: number
  readonly by: 'request' | 'run' | 'subagent'
}

interface Asked {
  /** Of the whole; null: none. */
  readonly cap: number | null
  /** What the next request needs at the least. */
  readonly next: number
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
   * under way. `of`: the whole, and what the request needs.
   */
  laterRoom(id: string | null, of: Asked, comesBack: ReadonlySet<string>): number {
    const { cap } = of
    const payer = this.#payer(id)
    if (payer === null) return cap === null ? Infinity : cap - this.#laterBelow(null, comesBack)
    const account = this.#accounts.get(payer)!
    const own = account.cap! - this.#ownUse(payer) - this.#laterBelow(payer, comesBack)
    const most = mostGrowth(account, true)
    return most > 0 ? own + Math.max(0, Math.min(most, this.#laterAbove(account, of, comesBack))) : own
  }

  #laterAbove({ parent, isNamed }: Account, of: Asked, comesBack: ReadonlySet<string>): number {
    const room = this.laterRoom(parent, of, comesBack)
    const payer = this.#payer(parent)
    const above = payer === null ? undefined : this.#accounts.get(payer)!
    return isNamed || isShare(above) ? room : room - keptOf(above ? above.cap : of.cap, of.next)
  }

  /** Who else holds something: not the account, nor those above it, and of a share not what is below it. */
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

  /** What an account itself has spent. */
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
