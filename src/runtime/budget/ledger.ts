import {
  AccountTree,
  isShare,
  keptOf,
  mostGrowth,
  type Account,
  type AccountFacts,
  type Holding,
} from './account-tree.ts'

/**
 * Holdings of one shared amount, in dollars or tokens: an account per run, below the account of the run that started
 * it. An open account with a cap reserves it from the one above, whatever it has used; one without a cap draws on the
 * nearest capped one above. A change affects only the accounts above it.
 */
export class Ledger {
  /** Of the whole tree; null: no cap. */
  cap: number | null
  readonly #accounts = new Map<string, Account>()
  #committed = 0
  #spent = 0
  #held = 0

  constructor(cap: number | null) {
    this.cap = cap
  }

  get spent(): number {
    return this.#spent
  }

  /** What accounts other than this one and those above it hold. */
  holdings(id: string): readonly Holding[] {
    return new AccountTree(this.#accounts).holdings(id, (each) => this.reservedBy(each))
  }

  /** Creates or updates an account; `own` applies only to a new one. */
  know(id: string, facts: AccountFacts, own = 0): void {
    const known = this.#accounts.get(id)
    if (!known) {
      const account: Account = { ...facts, used: 0, held: 0, committed: 0, total: 0 }
      this.#accounts.set(id, account)
      this.#settle(account)
      this.spend(id, own)
      return
    }
    const moves = known.parent !== facts.parent
    if (moves) this.#leave(known)
    Object.assign(known, facts)
    if (moves) this.#use(known.parent, known.used)
    this.#settle(known)
  }

  /** Removes an account whose run was not stored. */
  forget(id: string): void {
    const account = this.#accounts.get(id)
    if (!account) return
    this.#accounts.delete(id)
    this.#leave(account)
    this.#spent -= account.used
  }

  spend(id: string, amount: number): void {
    const account = this.#accounts.get(id)!
    this.#spent += amount
    this.#use(id, amount)
    this.#commit(account, amount)
  }

  /** Holds budget for a starting request; its account grows by what is missing. */
  hold(id: string, amount: number): void {
    this.#grow(id, amount)
    const account = this.#accounts.get(id)!
    account.held += amount
    this.#held += amount
    this.#commit(account, amount)
  }

  capOf(id: string): number | null {
    return this.#accounts.get(id)?.cap ?? null
  }

  release(id: string, amount: number): void {
    const account = this.#accounts.get(id)
    if (!account) return
    account.held -= amount
    this.#held -= amount
    this.#commit(account, -amount)
  }

  /**
   * Reduces a share to what it has used, or if not `isIdle`, to its own growth limit. The rest returns, including the
   * growth of shares above it. Returns whether there was any.
   */
  giveBack(id: string | null, isIdle = false): boolean {
    const account = this.#payer(id)
    if (!account) return false
    const before = account.cap!
    if (isShare(account)) {
      const isOwn = id !== null && this.#accounts.get(id) === account
      const kept = isIdle && isOwn ? 0 : Math.min(before, account.growsTo!)
      account.cap = Math.max(clean(account.committed), kept)
      this.#settle(account)
    }
    return this.giveBack(account.parent) || account.cap! < before
  }

  /** What its next request may come to. `beyond`: nobody else can go on, so that a share takes what is unreserved. */
  room(id: string, beyond = false): number {
    return Math.max(0, Math.min(this.#roomOf(this.#payer(id), beyond), this.#unspent()))
  }

  /** The missing part of its named amount. */
  lacks(id: string): number {
    const account = this.#accounts.get(id)
    return account?.isNamed ? clean(account.growsTo! - account.cap!) : 0
  }

  /** Gives it its named amount, as far as that is unreserved. */
  take(id: string, beyond: boolean): void {
    const account = this.#accounts.get(id)!
    const amount = Math.min(this.lacks(id), this.room(id, beyond) - (account.cap! - account.committed))
    if (amount <= 0) return
    this.#grow(account.parent, amount)
    account.cap! += amount
    this.#settle(account)
  }

  /** What a share leaves to whoever the amount belongs to that it grows out of; 0 for what does not grow. */
  keptAbove(id: string): number {
    const account = this.#payer(id)
    if (!account || !isShare(account)) return 0
    const above = this.#payer(account.parent)
    if (isShare(above)) return this.keptAbove(account.parent!)
    return keptOf(above ? above.cap : this.cap)
  }

  /** The same, once every request under way and these accounts have come to an end, and spent nothing more. */
  mostRoom(id: string | null, comesBack: ReadonlySet<string>): number {
    const unspent = this.cap === null ? Infinity : this.cap - this.#spent
    return Math.min(new AccountTree(this.#accounts).laterRoom(id, this.cap, comesBack), unspent)
  }

  /** What is not spent, reserved or held, as far as a new account below this one may have it. null: no cap. */
  free(id: string | null): number | null {
    const account = this.#payer(id)
    const cap = account ? account.cap : this.cap
    if (cap === null) return null
    const own = cap - (account ? account.committed : this.#committed)
    return clean(Math.min(own, this.#unspent()))
  }

  /** Nothing is free of a positive amount; a cap of 0 had nothing, and free work needs nothing. */
  isUsedUp(id: string | null): boolean {
    return this.cap !== 0 && this.free(id) === 0
  }

  /** The total that `free` refers to. */
  whole(id: string | null): number | null {
    const account = this.#payer(id)
    return account ? account.cap : this.cap
  }

  /** Spent and held by an account, plus what those below it reserve. */
  committed(id: string): number {
    return this.#accounts.get(id)?.committed ?? 0
  }

  /** What an account and all below it have spent. */
  used(id: string): number {
    return this.#accounts.get(id)?.used ?? 0
  }

  /**
   * What an account holds of the one above: its cap beyond what is spent; without a cap, the maximum cost of its
   * requests.
   */
  reservedBy(id: string): number {
    const account = this.#accounts.get(id)
    if (!account) return 0
    return clean(account.cap === null ? account.held : account.total - account.used)
  }

  /** The same for accounts below it and requests in progress; null: for the whole tree. */
  reservedBelow(id: string | null): number {
    if (id === null) return clean(this.#committed - this.#spent)
    const account = this.#accounts.get(id)
    return account ? clean(account.committed - account.used) : 0
  }

  #roomOf(account: Account | undefined, beyond: boolean): number {
    if (!account) return this.cap === null ? Infinity : this.cap - this.#committed
    const own = account.cap! - account.committed
    const most = mostGrowth(account, beyond)
    return most > 0 ? own + Math.max(0, Math.min(most, this.#above(account, beyond))) : own
  }

  /** What a share may grow by. */
  #above({ parent, isNamed }: Account, beyond: boolean): number {
    const above = this.#payer(parent)
    const room = this.#roomOf(above, beyond)
    return isNamed || isShare(above) ? room : room - keptOf(above ? above.cap : this.cap)
  }

  /** Regardless of reservations: nothing starts that exceeds the total, once that was reduced. */
  #unspent(): number {
    return this.cap === null ? Infinity : this.cap - this.#spent - this.#held
  }

  #grow(id: string | null, amount: number): void {
    const account = this.#payer(id)
    if (!account || account.growsTo === null) return
    const lacks = amount - (account.cap! - account.committed)
    if (lacks <= 0) return
    this.#grow(account.parent, lacks)
    account.cap! += lacks
    this.#settle(account)
  }

  /** The nearest open account with a cap, from this one upwards. */
  #payer(id: string | null): Account | undefined {
    for (let at = id; at !== null;) {
      const account = this.#accounts.get(at)
      if (!account) return undefined
      if (account.isOpen && account.cap !== null) return account
      at = account.parent
    }
    return undefined
  }

  #leave(account: Account): void {
    this.#add(account.parent, -account.total)
    this.#use(account.parent, -account.used)
    account.total = 0
  }

  #use(id: string | null, amount: number): void {
    for (let at = id; at !== null;) {
      const account = this.#accounts.get(at)
      if (!account) return
      account.used += amount
      at = account.parent
    }
  }

  #commit(account: Account, amount: number): void {
    account.committed += amount
    this.#settle(account)
  }

  #settle(account: Account): void {
    const { isOpen, cap, committed } = account
    const total = isOpen && cap !== null ? Math.max(cap, committed) : committed
    const change = total - account.total
    account.total = total
    if (change !== 0) this.#add(account.parent, change)
  }

  #add(id: string | null, amount: number): void {
    const account = id === null ? undefined : this.#accounts.get(id)
    if (account) this.#commit(account, amount)
    else this.#committed += amount
  }
}

/** Never negative: sums of dollars are not exact. */
export function clean(amount: number): number {
  return Math.max(0, Number(amount.toFixed(9)))
}
