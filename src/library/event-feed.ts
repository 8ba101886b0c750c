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
  /** Starts with durable events after this `seq`. */
  readonly after: number
  /** Earlier live events, in order; requested when the feed opens. */
  readonly first?: () => readonly OffshootEvent[] | undefined
  /** Whether the reader answers questions: the conversation counts as attended until the feed ends. */
  readonly answers: boolean
  /** Aborting ends the feed at once and drops waiting events. */
  readonly signal?: AbortSignal | undefined
  /** Called once for each event, in order. */
  readonly wants: (event: OffshootEvent) => boolean
  /** Ends the feed when it settles, after the events so far; the feed throws its rejection. */
  readonly ended: () => Promise<unknown>
}

export interface FeedDeps {
  readonly store: Store
  readonly clock: Clock
  readonly approvals: Approvals
  /** Absent if no other process can use the store. */
  readonly ownership: Ownership | undefined
  readonly subscribe: Bus['subscribe']
  readonly secrets: SecretMask
  /** Aborted when the store is about to close: only events in memory can follow. */
  readonly closed: AbortSignal
}

interface End {
  readonly error?: unknown
}

/**
 * Events kept in memory for a slow reader. Beyond that, durable events are read from the store later and live events
 * are dropped.
 */
const MAX_WAITING = 10_000

/**
 * Events of a conversation for one reader: stored events after a `seq`, then new ones. Each durable event comes once
 * and in order. The feed opens at the first `next`, never blocks the producer, and releases everything on `return`
 * (when the loop is left), at its end, and when no more events can come.
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
      unsubscribe() // delivers what was about to be emitted
      this.#wake()
    }
  }

  /** Synchronous, so that no live event falls between the stored ones and those of the subscription. */
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

  /** Events of another process are not on this process's bus. */
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

  /** The store is about to close: later events are only on the bus, after those stored so far. */
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

  /** Reads one page; the event loop turns between two pages. */
  async #catchUp(): Promise<void> {
    if (this.#deps.closed.aborted) return this.#follow.stopReading()
    this.#putAll(this.#follow.page())
    if (this.#follow.isBehind) await new Promise((resolve) => setImmediate(resolve))
  }

  /** The end can arrive before the last events were delivered. */
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
