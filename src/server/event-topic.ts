import { harmlessJson } from '../core/harmless-json.ts'
import { isEphemeral, type OffshootEvent } from '../core/events.ts'
import type { ConversationId, PartId } from '../core/ids.ts'
import { shapeMask, type SecretMask } from '../core/secrets/mask.ts'
import type { PartialMessage } from '../runtime/run/partial-message.ts'
import { maskEvent } from '../core/secrets/mask-event.ts'
import { Follow } from '../runtime/log/follow.ts'
import { maskPartial, partialDeltas, storedPartials } from './stored-partials.ts'
import type { Store } from './directory-runtimes.ts'

/** What a listener gets: events in their order, and how they look on the wire, made once for all. */
export interface Batch {
  readonly events: readonly OffshootEvent[]
  readonly bytes: Uint8Array
}

export interface Listener {
  /** New events, which follow those before without a gap. */
  notify(batch: Batch): void
  /** No event tells what has changed: who drives it. A new snapshot does. */
  renew(): void
  /** The conversation is no more. */
  end(): void
}

/**
 * The events of one conversation as they come: of the bus, where this process drives it, else of the store. Each durable
 * one is told once and in order.
 */
export class Topic {
  readonly id: ConversationId
  readonly listeners = new Set<Listener>()
  readonly #store: Store
  /** Masks what is told. */
  readonly secrets: SecretMask
  readonly #follow: Follow
  /** Whether it goes on by itself; undefined while nothing in it goes on. */
  #isDriven: boolean | undefined
  /** How much was told of what another process streams. */
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

  /** Of the last durable event that was told. */
  get seq(): number {
    return this.#follow.seq
  }

  /** From the bus of this process. */
  push(events: readonly OffshootEvent[]): void {
    const next: OffshootEvent[] = []
    for (const event of events) {
      if (this.#follow.accept(event)) next.push(event)
      else if (this.#follow.isBehind) break // another process has written what came between
    }
    this.#notify(next)
    if (this.#follow.isBehind) this.look()
  }

  /** Another process may have written. */
  look(): void {
    for (const events of this.#follow.pages()) this.#notify(events)
  }

  /** Another process drives it: what it has stored, and what it streams, as far as that is stored. */
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

  /** A process that is gone writes no event: its clients are told once, and once more when another one drives it. */
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

/** As server-sent events: a durable one has its `seq` as id, so that whoever comes back can say what it had last. */
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
