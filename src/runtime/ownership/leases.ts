import type { Clock } from '../../core/clock.ts'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import { bounds } from '../../core/limits.ts'
import type { LeaseRow, Reader, Store, Tx } from '../../store/port.ts'
import { hasExited, isHere, systemProcesses, type Processes } from './process-identity.ts'

export interface OwnershipOptions {
  readonly store: Store
  readonly clock: Clock
  /** Unique name of this process: the value of OFFSHOOT_OWNER in its children. */
  readonly owner: string
  /** Default: the processes of this machine. */
  readonly processes?: Processes | undefined
}

interface HeldLease {
  readonly epoch: number
  /** Number of holders in this process. */
  holders: number
  /** Set once the lease is lost. */
  lost: OffshootError | undefined
}

/**
 * Leases released without a successful write, because the store was full or locked. If this program opens the store
 * again, it need not wait until they expire. Owner and epoch are unique to one store. An entry is removed when its
 * lease is acquired again, or after enough later entries that the lease must have expired.
 */
const notStored = new Set<string>()
const MOST_NOT_STORED = 1_000

function returnNotStored(key: string): void {
  notStored.add(key)
  if (notStored.size > MOST_NOT_STORED) notStored.delete(notStored.values().next().value!)
}

function leaseKey({
  conversationId,
  owner,
  epoch,
}: Pick<LeaseRow, 'conversationId' | 'owner' | 'epoch'>): string {
  return `${conversationId} ${epoch} ${owner}`
}

/**
 * The leases of this process (invariant R5). One process drives a conversation and renews its lease every 2 s. After 15
 * s without renewal, or once that process has exited, the next process that asks acquires the lease.
 */
export class Ownership {
  readonly #store: Store
  readonly #clock: Clock
  readonly #owner: string
  readonly #processes: Processes
  readonly #held = new Map<ConversationId, HeldLease>()
  readonly #onLost = new Set<(id: ConversationId, error: OffshootError) => void>()
  #cancelRenewal: (() => void) | undefined

  constructor({ store, clock, owner, processes = systemProcesses() }: OwnershipOptions) {
    this.#store = store
    this.#clock = clock
    this.#owner = owner
    this.#processes = processes
  }

  /**
   * Acquires the lease; several holders in this process may share it, and each must release it. @throws OffshootError
   * `conflict` with the live owner, `usage` for an unknown conversation.
   */
  async acquire(id: ConversationId): Promise<void> {
    let acquired = false
    const write = (tx: Tx) => {
      if (!tx.get('conversations', id)) throw noConversation(id)
      const before = tx.get('leases', id)
      this.acquireIn(tx, id)
      acquired = true
      return before
    }
    const before = await this.#store.tx(write, { durable: false }).catch((error: unknown) => {
      if (acquired) this.#drop(id)
      throw error
    })
    if (before) notStored.delete(leaseKey(before))
  }

  /** The same inside the transaction that creates the conversation. `release` is required even if that fails. */
  acquireIn(tx: Tx, id: ConversationId): void {
    const held = this.#held.get(id)
    if (held?.lost) throw held.lost
    const row = tx.get('leases', id)
    if (held && this.#isOurs(row, held)) return void held.holders++
    // its in-memory state is stale, even if the lease can be acquired again
    if (held) throw this.#lose(id, held, row)
    // its own lease, not held: it was released, but that was not stored
    if (row && row.owner !== this.#owner && this.#isLiving(row)) throw ownedElsewhere(id, row)
    const now = this.#clock.now()
    const epoch = (row?.epoch ?? 0) + 1
    const lease = { owner: this.#owner, ...this.#processes.self, epoch, takenAt: now, renewedAt: now }
    if (row) tx.update('leases', id, lease)
    else tx.insert('leases', { conversationId: id, ...lease })
    this.#held.set(id, { epoch, holders: 1, lost: undefined })
    this.#renewLater()
  }

  /** Releases the lease when its last holder does. Does nothing if it was lost. Never rejects. */
  async release(id: ConversationId): Promise<void> {
    const held = this.#drop(id)
    if (!held) return
    const write = (tx: Tx) => {
      if (this.#isOurs(tx.get('leases', id), held)) tx.update('leases', id, { renewedAt: 0 })
    }
    // others get it after it expires
    await this.#store
      .tx(write, { durable: false })
      .catch(() => returnNotStored(leaseKey({ conversationId: id, owner: this.#owner, epoch: held.epoch })))
  }

  /** Whether this process holds the lease, as far as it knows. */
  owns(id: ConversationId): boolean {
    const held = this.#held.get(id)
    return held !== undefined && !held.lost
  }

  /** Conversations whose lease this process holds. */
  owned(): ConversationId[] {
    return [...this.#held.keys()].filter((id) => this.owns(id))
  }

  /** The lease of a live process, possibly this one. */
  livingOwner(id: ConversationId, reader: Reader = this.#store): LeaseRow | undefined {
    const row = reader.get('leases', id)
    return row && this.#isLiving(row) ? row : undefined
  }

  /**
   * Called in every transaction that changes a conversation. @throws OffshootError `conflict` if another process owns
   * it: a process that was suspended too long cannot write any more.
   */
  check(tx: Tx, id: ConversationId): void {
    const held = this.#held.get(id)
    if (held?.lost) throw held.lost
    const row = tx.get('leases', id)
    // its own lease, not held: the release is pending and follows this write
    if (held ? this.#isOurs(row, held) : !row || row.owner === this.#owner || !this.#isLiving(row)) return
    throw held ? this.#lose(id, held, row) : ownedElsewhere(id, row!)
  }

  /** Calls `handler` when a lease is found lost; the returned function unsubscribes. */
  onLost(handler: (id: ConversationId, error: OffshootError) => void): () => void {
    this.#onLost.add(handler)
    return () => void this.#onLost.delete(handler)
  }

  #lose(id: ConversationId, held: HeldLease, row: LeaseRow | undefined): OffshootError {
    const lost = (held.lost = lostTo(id, row))
    queueMicrotask(() => this.#notifyLost(id, lost))
    return lost
  }

  /** A released lease, once no holder is left in this process. */
  #drop(id: ConversationId): HeldLease | undefined {
    const held = this.#held.get(id)
    if (!held || --held.holders > 0) return undefined
    this.#held.delete(id)
    if (this.#held.size === 0) {
      this.#cancelRenewal?.()
      this.#cancelRenewal = undefined
    }
    return held
  }

  #isOurs(row: LeaseRow | undefined, { epoch }: HeldLease): boolean {
    return row?.owner === this.#owner && row.epoch === epoch
  }

  #isLiving(row: LeaseRow): boolean {
    const age = this.#clock.now() - row.renewedAt
    // renewed in the future: the clock was set back. A local process can be checked; the lease of a remote one would
    // never expire
    const isFresh = age < bounds.leaseMs && (age > -bounds.leaseMs || isHere(row, this.#processes))
    const isReleased = this.#isOfThisProgram(row) && notStored.has(leaseKey(row))
    return isFresh && !isReleased && !hasExited(row, this.#processes)
  }

  #isOfThisProgram({ host, bootId, pid, pidStart }: LeaseRow): boolean {
    const { self } = this.#processes
    return host === self.host && bootId === self.bootId && pid === self.pid && pidStart === self.pidStart
  }

  #renewLater(): void {
    this.#cancelRenewal ??= this.#clock.after(bounds.leaseRenewalMs, () => void this.#renew())
  }

  async #renew(): Promise<void> {
    const write = (tx: Tx) => {
      for (const id of this.owned()) {
        const held = this.#held.get(id)!
        const row = tx.get('leases', id)
        if (this.#isOurs(row, held)) tx.update('leases', id, { renewedAt: this.#clock.now() })
        else held.lost = lostTo(id, row)
      }
    }
    const before = this.owned()
    await this.#store.tx(write, { durable: false }).catch((error: unknown) => this.#notRenewed(error))
    for (const id of before) {
      const lost = this.#held.get(id)?.lost
      if (lost) this.#notifyLost(id, lost)
    }
    this.#cancelRenewal = undefined
    if (this.owned().length > 0) this.#renewLater()
  }

  /**
   * The store is locked: the next renewal may succeed. If the store is lost, so is everything that the lease protects.
   */
  #notRenewed(error: unknown): void {
    if (!(error instanceof OffshootError) || error.code !== 'store_lost') return
    for (const id of this.owned()) this.#held.get(id)!.lost = error
  }

  #notifyLost(id: ConversationId, error: OffshootError): void {
    for (const handler of this.#onLost) handler(id, error)
  }
}

/** `pid 123 on host since 2026-01-01T00:00:00.000Z`. */
export function ownerText({ pid, host, takenAt }: LeaseRow): string {
  return `pid ${pid} on ${host} since ${new Date(takenAt).toISOString()}`
}

function noConversation(id: string): OffshootError {
  return new OffshootError('not_found', `there is no conversation ${id}`, { hint: 'offshoot ls lists them' })
}

function ownedElsewhere(id: ConversationId, row: LeaseRow): OffshootError {
  return new OffshootError('conflict', `${id} is driven by another process: ${ownerText(row)}`, {
    hint: 'offshoot ps shows its runs; cancel, steer and approve reach them from here; or wait until it has ended',
  })
}

function lostTo(id: ConversationId, row: LeaseRow | undefined): OffshootError {
  const who = row ? `${ownerText(row)} acquired it` : 'it was deleted'
  return new OffshootError('conflict', `this process no longer drives ${id}: ${who}`, {
    hint: 'nothing was written since then; offshoot ps shows its runs',
  })
}
