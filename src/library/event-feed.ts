import type { Clock } from '../core/clock.ts'
import type { SecretMask } from '../core/secrets/mask.ts'
import type { OffshootEvent } from '../core/events.ts'
import type { ConversationId } from '../core/ids.ts'
import { bounds } from '../core/limits.ts'
import { keepAlive } from '../exec/keep-alive.ts'
import type { Store } from '../store/port.ts'
import type { Approvals } from '../runtime/asking/approvals.ts'
import type { Bus } from '../runtime/log/bus.ts'
import type { Ownership } from '../runtime/ownership/leases.ts'
import { maskEvent } from '../core/secrets/mask-event.ts'
import { Follow } from '../runtime/log/follow.ts'

export interface FeedOptions {
  readonly conversationId: ConversationId
  /** Durable events after this `seq` come first. */
  readonly after: number
  /** Live events that came before, in order; asked for when the feed opens. */
  readonly first?: () => readonly OffshootEvent[] | undefined
  /** Whether whoever reads answers questions: the conversation is attended until the feed ends. */
  readonly answers: boolean
  /** When it aborts, the feed ends at once: what waits is dropped. */
  readonly signal?: AbortSignal | undefined
  /** Called for each event once, in order. */
  readonly wants: (event: OffshootEvent) => boolean
  /** When it settles, the feed ends with what there is by then; it throws what this rejects with. */
  readonly ended: () => Promise<unknown>
}

export interface FeedDeps {
  readonly store: Store
  readonly clock: Clock
  readonly approvals: Approvals
  /** Absent where nobody else can know the store. */
  readonly ownership: Ownership | undefined
  readonly subscribe: Bus['subscribe']
  readonly secrets: SecretMask
  /** Aborted once the store is closed, or about to be: what is in memory is all that can come. */
  readonly closed: AbortSignal
}

interface End {
  readonly error?: unknown
}

/** So many events wait for a slow reader in memory; beyond them durable ones wait in the store, and live ones are lost. */
const MAX_WAITING = 10_000

/**
 * The events of a conversation for one reader: what is stored after a `seq`, then what happens, each durable event once
 * and in order. It opens at the first `next`, never makes whoever tells the events wait, and lets go of everything when
 * it ends, at `return` (a loop that is left) and when nothing can come any more.
 */
export class EventFeed implements AsyncIterableIterator<OffshootEvent, undefined, undefined> {
  readonly #deps: FeedDeps
  readonly #options: FeedOptions
  readonly #follow: Follow
  #waiting: OffshootEvent[] = []
  #end: End | undefined
  #isDone = false
  #leave: (() => void) | undefined
  #wake = () => {}
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: FeedDeps, options: FeedOptions) {
    this.#deps = deps
    this.#options = options
    this.#follow = Follow.after(deps.store, options.conversationId, options.after)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<OffshootEvent, undefined>> {
    if (this.#options.signal?.aborted) void this.return()
    if (!this.#isDone) this.#leave ??= this.#open()
    const read = this.#last.then(() => this.#read())
    this.#last = read.catch(() => this.return())
    return read
  }

  return(): Promise<IteratorResult<OffshootEvent, undefined>> {
    this.#isDone = true
    this.#waiting = []
    this.#close()
    return Promise.resolve({ done: true, value: undefined })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  #open(): () => void {
    const { approvals, closed, subscribe } = this.#deps
    const { conversationId, answers, ended, first } = this.#options
    const leave = answers ? approvals.attend(conversationId) : () => {}
    const unsubscribe = subscribe(conversationId, (events) => events.forEach((event) => this.#receive(event)))
    this.#openWith(first?.())
    const stopLooking = this.#lookElsewhere()
    const readRest = () => this.#readRest()
    closed.addEventListener('abort', readRest, { once: true })
    const { signal } = this.#options
    const stop = () => void this.return()
    signal?.addEventListener('abort', stop, { once: true })
    const end = (how: End) => {
      this.#end = how
      this.#close()
    }
    ended().then(
      () => end({}),
      (error: unknown) => end(this.#deps.closed.aborted ? {} : { error }),
    )
    return () => {
      leave()
      stopLooking()
      closed.removeEventListener('abort', readRest)
      signal?.removeEventListener('abort', stop)
      unsubscribe() // hands over what was about to be told
      this.#wake()
    }
  }

  /** At once, so that no live event comes between those that were kept and those of the subscription. */
  #openWith(first: readonly OffshootEvent[] | undefined): void {
    if (!first || this.#deps.closed.aborted) return
    this.#follow.keep(first)
    this.#putAll(this.#follow.page())
  }

  #putAll(events: readonly OffshootEvent[]): void {
    for (const event of events) this.#put(event)
  }

  #close(): void {
    const leave = this.#leave
    this.#leave = () => {}
    leave?.()
  }

  /** What another process drives is on no bus of ours. */
  #lookElsewhere(): () => void {
    const { clock, closed, ownership } = this.#deps
    if (!ownership) return () => {}
    let cancel = () => {}
    const look = () => {
      if (!closed.aborted && !ownership.owns(this.#options.conversationId)) {
        this.#follow.fallBehind()
        this.#wake()
      }
      cancel = clock.after(bounds.watchMs, look)
    }
    cancel = clock.after(bounds.watchMs, look)
    return () => cancel()
  }

  /** The store is about to be closed: what comes from now on is on the bus alone, and follows what is stored by now. */
  #readRest(): void {
    if (this.#follow.isBehind) for (const events of this.#follow.pages()) this.#putAll(events)
  }

  async #read(): Promise<IteratorResult<OffshootEvent, undefined>> {
    for (;;) {
      if (this.#isDone) return { done: true, value: undefined }
      const event = this.#waiting.shift()
      if (event) return { done: false, value: event }
      if (this.#follow.isBehind) await this.#catchUp()
      else if (this.#end) await this.#finish(this.#end)
      else await keepAlive(new Promise<void>((resolve) => (this.#wake = resolve)))
    }
  }

  /** One page; the event loop turns between two of them. */
  async #catchUp(): Promise<void> {
    if (this.#deps.closed.aborted) return this.#follow.stopReading()
    this.#putAll(this.#follow.page())
    if (this.#follow.isBehind) await new Promise((resolve) => setImmediate(resolve))
  }

  /** The end may have come before the last events were told. */
  async #finish(end: End): Promise<void> {
    if ('error' in end) throw end.error
    const before = this.#follow.seq
    await this.#catchUp()
    if (this.#follow.seq === before) this.#isDone = true
  }

  #receive(event: OffshootEvent): void {
    if (this.#isDone || this.#follow.isBehind) return
    if (this.#waiting.length >= MAX_WAITING) this.#follow.fallBehind()
    else if (this.#follow.accept(event)) this.#put(event)
    this.#wake()
  }

  #put(event: OffshootEvent): void {
    if (this.#options.wants(event)) this.#waiting.push(maskEvent(event, this.#deps.secrets))
  }
}
