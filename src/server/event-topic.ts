import { harmlessJson } from '../core/harmless-json.ts'
import { isEphemeral, type OffshootEvent } from '../core/events.ts'
import type { ConversationId, PartId } from '../core/ids.ts'
import { shapeMask, type SecretMask } from '../core/secrets/mask.ts'
import type { PartialMessage } from '../runtime/run/partial-message.ts'
import { maskEvent } from '../core/secrets/mask-event.ts'
import { Follow } from '../runtime/log/follow.ts'
import { maskPartial, partialDeltas, storedPartials } from './stored-partials.ts'
import type { Store } from './directory-runtimes.ts'

/** What a listener receives: ordered events with their wire format, encoded once. */
export interface Batch {
  readonly events: readonly OffshootEvent[]
  readonly bytes: Uint8Array
}

export interface Listener {
  /** New events, without a gap after the previous ones. */
  notify(batch: Batch): void
  /** The driver has changed, which no event reports: load a new snapshot. */
  renew(): void
  /** The conversation was deleted. */
  end(): void
}

/**
 * The events of one conversation as they happen: from the bus if this process drives it, else from the store. Each
 * durable one is delivered once and in order.
 */
export class Topic {
  readonly id: ConversationId
  readonly listeners = new Set<Listener>()
  readonly #store: Store
  /** Masks secrets in events. */
  readonly secrets: SecretMask
  readonly #follow: Follow
  /** Whether it is driven; undefined while nothing in it is active. */
  #isDriven: boolean | undefined
  /** How much of another process's streaming text was delivered. */
  #live: { readonly seq: number; readonly sub: number; readonly lengths: ReadonlyMap<PartId, number> } = {
    seq: 0,
    sub: 0,
    lengths: new Map(),
  }

  constructor(id: ConversationId, store: Store, secrets: SecretMask = shapeMask) {
    this.secrets = secrets
    this.id = id
    this.#store = store
    this.#follow = Follow.fromEnd(store, id)
  }

  /** `seq` of the last delivered durable event. */
  get seq(): number {
    return this.#follow.seq
  }

  /** From the bus of this process. */
  push(events: readonly OffshootEvent[]): void {
    const next: OffshootEvent[] = []
    for (const event of events) {
      if (this.#follow.accept(event)) next.push(event)
      else if (this.#follow.isBehind) break // another process wrote the events in between
    }
    this.#notify(next)
    if (this.#follow.isBehind) this.look()
  }

  /** Another process may have written. */
  look(): void {
    for (const events of this.#follow.pages()) this.#notify(events)
  }

  /** Another process drives it: its stored events, and its streaming text as far as that is stored. */
  follow(at: number): void {
    this.look()
    if (this.listeners.size === 0) return
    const partials = storedPartials(this.#store, this.id).map((each) => maskPartial(each, this.secrets))
    const { seq } = this
    const { lengths } = this.#live
    const sub = this.#live.seq === seq ? this.#live.sub : 0
    const deltas = partialDeltas(this.#store, partials, { conversationId: this.id, seq, sub, at, lengths })
    this.#live = { seq, sub: sub + deltas.length, lengths: lengthsOf(partials) }
    this.#notify(deltas)
  }

  /** An exited process writes no event: clients are notified once, and again when another one drives it. */
  ownedBy(isDriven: boolean | undefined): void {
    const before = this.#isDriven
    this.#isDriven = isDriven
    if (isDriven === undefined || isDriven === before || (isDriven && before === undefined)) return
    for (const listener of this.listeners) listener.renew()
  }

  end(): void {
    for (const listener of this.listeners) listener.end()
    this.listeners.clear()
  }

  #notify(events: readonly OffshootEvent[]): void {
    if (events.length === 0 || this.listeners.size === 0) return
    const batch = { events, bytes: framesOf(events, this.secrets) }
    for (const listener of this.listeners) listener.notify(batch)
  }
}

function lengthsOf(partials: readonly PartialMessage[]): ReadonlyMap<PartId, number> {
  const parts = partials.flatMap((message) => message.parts)
  return new Map(parts.map((part) => [part.id, 'text' in part ? part.text.length : 0]))
}

const encoder = new TextEncoder()

/** As server-sent events: a durable one has its `seq` as id, so that a reconnecting client can name the last one. */
export function framesOf(events: readonly OffshootEvent[], secrets: SecretMask): Uint8Array {
  return encoder.encode(events.map((event) => frame(maskEvent(event, secrets))).join(''))
}

function frame(event: OffshootEvent): string {
  const data = `event: ${event.type}\ndata: ${harmlessJson(JSON.stringify(event))}\n\n`
  return isDurable(event) ? `id: ${event.seq}\n${data}` : data
}

function isDurable({ type }: OffshootEvent): boolean {
  return !isEphemeral(type)
}
