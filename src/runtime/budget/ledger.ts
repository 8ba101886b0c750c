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
 * Who holds how much of one shared amount, dollars or tokens: an account for each run, below that of the run which has
 * started it. An open account with a cap reserves it out of the one above, whatever it has used; one without draws on the
 * nearest above that has one. A change touches the accounts above it alone.
 */
export class Ledger {
  /** Of the whole tree; null: without a cap. */
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

  /** What others than this account and those above it hold. */
  holdings(id: string): readonly Holding[] {
    return new AccountTree(this.#accounts).holdings(id, (each) => this.reservedBy(each))
  }

  /** Makes an account, or changes what is known of it; `own` counts for a new one alone. */
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

  /** An account of which nothing was written. */
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

  /** For a request that begins; what it lacks its account grows by. */
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
   * A share keeps what it has not spent up to what it grows to by itself; `isIdle`: nothing. The rest goes back, and so does
   * what shares above it had grown by for it. Whether there was any.
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

  /**
   * What its next request may come to, which needs `next` at the least. `beyond`: nobody else can go on, so that a share
   * takes what is unreserved.
   */
  room(id: string, beyond = false, next = 0): number {
    return Math.max(0, Math.min(this.#roomOf(this.#payer(id), beyond, next), this.#unspent()))
  }

  /** What it lacks of what was named for it. */
  lacks(id: string): number {
    const account = this.#accounts.get(id)
    return account?.isNamed ? clean(account.growsTo! - account.cap!) : 0
  }

  /** What was named for it becomes its own, as far as it is unreserved. */
  take(id: string, beyond: boolean): void {
    const account = this.#accounts.get(id)!
    const amount = Math.min(this.lacks(id), this.room(id, beyond) - (account.cap! - account.committed))
    if (amount <= 0) return
    this.#grow(account.parent, amount)
    account.cap! += amount
    this.#settle(account)
  }

  /** What a share leaves to whoever the amount belongs to that it grows out of; 0 for what does not grow. */
  keptAbove(id: string, next = 0): number {
    const account = this.#payer(id)
    if (!account || !isShare(account)) return 0
    const above = this.#payer(account.parent)
    if (isShare(above)) return this.keptAbove(account.parent!, next)
    return keptOf(above ? above.cap : this.cap, next)
  }

  /** The same, once every request under way and these accounts have come to an end, and spent nothing more. */
  mostRoom(id: string | null, comesBack: ReadonlySet<string>, next = 0): number {
    const unspent = this.cap === null ? Infinity : this.cap - this.#spent
    return Math.min(
      new AccountTree(this.#accounts).laterRoom(id, { cap: this.cap, next }, comesBack),
      unspent,
    )
  }

  /** What nobody has spent, reserved or holds, as far as a new account below this one may have it. null: no cap. */
  free(id: string | null): number | null {
    const account = this.#payer(id)
    const cap = account ? account.cap : this.cap
    if (cap === null) return null
    const own = cap - (account ? account.committed : this.#committed)
    return clean(Math.min(own, this.#unspent()))
  }

  /** Nothing is free of what there was; of a cap of 0 there was nothing, and what costs nothing needs none. */
  isUsedUp(id: string | null): boolean {
    return this.cap !== 0 && this.free(id) === 0
  }

  /** The whole of which `free` tells. */
  whole(id: string | null): number | null {
    const account = this.#payer(id)
    return account ? account.cap : this.cap
  }

  /** Spent and held by an account, with what those below it stand for. */
  committed(id: string): number {
    return this.#accounts.get(id)?.committed ?? 0
  }

  /** What an account and all below it have spent. */
  used(id: string): number {
    return this.#accounts.get(id)?.used ?? 0
  }

  /** What an account holds of the one above: its cap beyond what is spent; without one, what its requests may cost. */
  reservedBy(id: string): number {
    const account = this.#accounts.get(id)
    if (!account) return 0
    return clean(account.cap === null ? account.held : account.total - account.used)
  }

  /** The same of those below it and of what is under way; null: of the whole tree. */
  reservedBelow(id: string | null): number {
    if (id === null) return clean(this.#committed - this.#spent)
    const account = this.#accounts.get(id)
    return account ? clean(account.committed - account.used) : 0
  }

  #roomOf(account: Account | undefined, beyond: boolean, next: number): number {
    if (!account) return this.cap === null ? Infinity : this.cap - this.#committed
    const own = account.cap! - account.committed
    const most = mostGrowth(account, beyond)
    return most > 0 ? own + Math.max(0, Math.min(most, this.#above(account, beyond, next))) : own
  }

  /** What a share may grow by. */
  #above({ parent, isNamed }: Account, beyond: boolean, next: number): number {
    const above = this.#payer(parent)
    const room = this.#roomOf(above, beyond, next)
    return isNamed || isShare(above) ? room : room - keptOf(above ? above.cap : this.cap, next)
  }

  /** Whatever is reserved: nothing begins that the whole does not have, once it has been made smaller. */
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

  /** The nearest account, from this one upwards, that is open and has a cap. */
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

/** Never less than nothing. Sums of dollars are not exact. */
export function clean(amount: number): number {
  return Math.max(0, Number(amount.toFixed(9)))
}
