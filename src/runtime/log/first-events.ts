import type { OffshootEvent } from '../../core/events.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Bus } from './bus.ts'

/** So many live events of a run wait for its first reader. Of a run that has more by then, that reader gets those that follow. */
export const MAX_FIRST_EVENTS = 2_000

/**
 * The live events of a run from its start on, for its first reader: a short answer may be over before anybody could
 * subscribe. Stored events need no place here.
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

  /** No more come. Those that are there stay for the first reader. */
  end(): void {
    this.#leave()
  }

  /** All so far, once. */
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
