import type { OffshootEvent } from '../../core/events.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Bus } from './bus.ts'

/** Most live events kept for a run's first reader. Beyond that, the reader gets only later ones. */
export const MAX_FIRST_EVENTS = 2_000

/**
 * Live events of a run from its start, for its first reader: a short answer may end before anybody could subscribe.
 * Stored events are read from the store.
 */
export class FirstEvents {
  readonly #subscribe: Bus['subscribe']
  #events: OffshootEvent[] | undefined = []
  #leave = () => {}

  constructor(subscribe: Bus['subscribe']) {
    this.#subscribe = subscribe
  }

  /** Called before the run is driven, or with the events since its start. */
  readonly follow = (id: ConversationId, since: readonly OffshootEvent[] = []): void => {
    this.#keep(since)
    this.#leave = this.#subscribe(id, (events) => this.#keep(events))
  }

  /** Stops collecting. Collected events stay for the first reader. */
  end(): void {
    this.#leave()
  }

  /** Returns everything so far, once. */
  take(): readonly OffshootEvent[] {
    this.end()
    const events = this.#events ?? []
    this.#events = undefined
    return events
  }

  #keep(events: readonly OffshootEvent[]): void {
    this.#events?.push(...events.filter(({ sub }) => sub !== undefined))
    if (!this.#events || this.#events.length <= MAX_FIRST_EVENTS) return
    this.#events = undefined
    this.#leave()
  }
}
