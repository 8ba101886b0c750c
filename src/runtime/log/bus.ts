import type { Clock } from '../../core/clock.ts'
import type { EventDraft, OffshootEvent } from '../../core/events.ts'
import type { ConversationId } from '../../core/ids.ts'
import { bounds } from '../../core/limits.ts'

export type Subscriber = (events: readonly OffshootEvent[]) => void

export interface Bus {
  /** Stored events, in the order of their `seq`. */
  durable(events: readonly OffshootEvent[]): void
  /** Emits a live event with the last `seq` and the next `sub`. Costs nothing without subscribers. */
  live(event: EventDraft): void
  /**
   * Subscribes to batches of events, at most one per 16 ms; the returned function flushes the rest and unsubscribes.
   */
  subscribe(conversationId: ConversationId, subscriber: Subscriber): () => void
}

interface Feed {
  seq: number
  sub: number
  readonly outlets: Set<Outlet>
}

/** Delivers the events of this process's conversations. Never waits for a subscriber. */
export function createBus(clock: Clock): Bus {
  const feeds = new Map<ConversationId, Feed>()
  const feedOf = (id: ConversationId) => {
    let feed = feeds.get(id)
    if (!feed) feeds.set(id, (feed = { seq: 0, sub: 0, outlets: new Set() }))
    return feed
  }
  return {
    durable(events) {
      for (const event of events) {
        const feed = feedOf(event.conversationId)
        feed.seq = event.seq
        feed.sub = 0
        for (const outlet of feed.outlets) outlet.add(event)
      }
    },
    live(event) {
      const feed = feedOf(event.conversationId)
      if (feed.outlets.size === 0) return
      const full = Object.assign(event, { seq: feed.seq, sub: ++feed.sub }) as OffshootEvent
      for (const outlet of feed.outlets) outlet.add(full)
    },
    subscribe(conversationId, subscriber) {
      const { outlets } = feedOf(conversationId)
      const outlet = new Outlet(clock, subscriber)
      outlets.add(outlet)
      return () => {
        outlets.delete(outlet)
        outlet.flush()
      }
    },
  }
}

/** A subscriber's waiting events. Consecutive text of the same part becomes one delta. */
class Outlet {
  readonly #clock: Clock
  readonly #subscriber: Subscriber
  #waiting: OffshootEvent[] = []
  /** The last waiting event, if this outlet created it by joining others. */
  #joined: Delta | undefined
  #cancel: (() => void) | undefined

  constructor(clock: Clock, subscriber: Subscriber) {
    this.#clock = clock
    this.#subscriber = subscriber
  }

  add(event: OffshootEvent): void {
    if (!this.#join(event)) {
      this.#joined = undefined
      this.#waiting.push(event)
    }
    this.#cancel ??= this.#clock.after(bounds.busBatchMs, () => this.flush())
  }

  flush(): void {
    this.#cancel?.()
    this.#cancel = undefined
    const events = this.#waiting
    this.#waiting = []
    this.#joined = undefined
    if (events.length > 0) this.#subscriber(events)
  }

  #join(next: OffshootEvent): boolean {
    const last = this.#waiting.at(-1)
    if (last?.type !== 'part.delta' || next.type !== 'part.delta' || last.partId !== next.partId) return false
    if (!this.#joined) this.#waiting[this.#waiting.length - 1] = this.#joined = { ...last }
    const { at, seq, sub, text } = next
    Object.assign(this.#joined, { at, seq, sub, text: this.#joined.text + text })
    return true
  }
}

type Delta = Extract<OffshootEvent, { readonly type: 'part.delta' }>
