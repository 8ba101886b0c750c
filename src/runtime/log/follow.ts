import type { OffshootEvent } from '../../core/events.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Reader } from '../../store/port.ts'
import { lastSeq, readEvents } from './stored-events.ts'

export const PAGE_EVENTS = 500

const NONE: readonly OffshootEvent[] = []

/**
 * A position in the events of one conversation: stored events after a `seq` first, live ones after that. Every durable
 * event is handed out once and in order. A live event is handed out only after the durable event that it follows.
 *
 * While the position is behind, live events are dropped and the store is read instead, page by page.
 */
export class Follow {
  readonly #store: Reader
  readonly #conversationId: ConversationId
  #seq: number
  #isBehind: boolean
  /** Live events that wait for their preceding stored event. */
  #kept: readonly OffshootEvent[] = []

  private constructor(store: Reader, conversationId: ConversationId, seq: number, isBehind: boolean) {
    this.#store = store
    this.#conversationId = conversationId
    this.#seq = seq
    this.#isBehind = isBehind
  }

  /** Starts after the event `seq`; the store may already hold later ones. */
  static after(store: Reader, conversationId: ConversationId, seq: number): Follow {
    return new Follow(store, conversationId, seq, true)
  }

  /** Starts after the last stored event. */
  static fromEnd(store: Reader, conversationId: ConversationId): Follow {
    return new Follow(store, conversationId, lastSeq(store, conversationId), false)
  }

  get conversationId(): ConversationId {
    return this.#conversationId
  }

  /** The `seq` of the last durable event that was handed out. */
  get seq(): number {
    return this.#seq
  }

  /** Whether the store may hold durable events that were not handed out. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /** Continue with the store, because another process may have written or the reader is too slow for live events. */
  fallBehind(): void {
    this.#isBehind = true
  }

  /** Live events from before the first page: each is delivered after its preceding stored event. */
  keep(live: readonly OffshootEvent[]): void {
    this.#kept = live
  }

  /** Continue with live events alone, because the store is closed. */
  stopReading(): void {
    this.#isBehind = false
  }

  /** One page of stored events, none of them after `upTo`, with the live ones kept. A full page leaves the position behind. */
  page(upTo = Infinity): readonly OffshootEvent[] {
    const stored = readEvents(this.#store, this.#conversationId, this.#seq, PAGE_EVENTS)
    const events = stored.filter(({ seq }) => seq <= upTo)
    this.#isBehind = events.length === PAGE_EVENTS
    this.#seq = events.at(-1)?.seq ?? this.#seq
    return this.#kept.length > 0 ? this.#withKept(events) : events
  }

  #withKept(stored: readonly OffshootEvent[]): readonly OffshootEvent[] {
    const isDue = ({ seq }: OffshootEvent) => !this.#isBehind || seq < this.#seq
    const due = this.#kept.filter(isDue)
    this.#kept = this.#kept.filter((event) => !isDue(event))
    // the sort is stable: of two events with one `seq` the stored one is first
    return [...stored, ...due].toSorted((a, b) => a.seq - b.seq)
  }

  /** All stored events, page by page. */
  *pages(): Generator<readonly OffshootEvent[], void, undefined> {
    do {
      const events = this.page()
      if (events.length > 0) yield events
    } while (this.#isBehind)
  }

  /**
   * Whether `event` is the next one to hand out. False for one that was handed out before, and for one after a gap: then
   * another process has written the events between, and the position is behind.
   */
  accept(event: OffshootEvent): boolean {
    if (this.#isBehind) return false
    const next = event.sub === undefined ? this.#seq + 1 : this.#seq
    if (event.seq > next) this.#isBehind = true
    if (event.seq !== next) return false
    this.#seq = event.seq
    return true
  }

  /** The events of a batch that are next. Where it has a gap, the position is behind: the store has the others. */
  accepted(batch: readonly OffshootEvent[]): readonly OffshootEvent[] {
    return batch.filter((event) => this.accept(event))
  }

  /** The events of a batch without gaps that were not handed out before: the batch itself when none was. */
  takeNew(batch: readonly OffshootEvent[]): readonly OffshootEvent[] {
    const last = batch.at(-1)
    if (this.#isBehind || !last) return NONE
    const seq = this.#seq
    const isNew = (event: OffshootEvent) => event.seq > seq || (event.sub !== undefined && event.seq === seq)
    this.#seq = Math.max(seq, last.seq)
    return batch.every(isNew) ? batch : batch.filter(isNew)
  }
}
