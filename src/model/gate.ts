import type { Clock } from '../core/clock.ts'
import { errorMessage, ProviderError } from '../core/errors.ts'
import type { WaitingFor } from '../core/run.ts'
import { backOffMs, isRefusal } from './retry.ts'

export const gateBounds = {
  /** Whole answers for which one more request may be in flight. */
  answersPerPlace: 10,
  /** A probe that has not been refused by then was taken: the others do not wait for the end of its answer. */
  probeMs: 15_000,
} as const

/** A request at the gate, through all its tries: what is refused has its old place in the line. */
export interface GateTicket {
  readonly number: number
  state: 'outside' | 'line' | 'admitted' | 'started'
  /** Told of its turn (true), or of another reason to wait. */
  notify?: ((isItsTurn: boolean) => void) | undefined
}

type Phase =
  | { readonly type: 'open' }
  /** Nothing starts before `until`, in milliseconds since the epoch; then one request, the probe. */
  | { readonly type: 'paused'; readonly until: number }
  | { readonly type: 'probing'; readonly probe: GateTicket; readonly until: number }
  | { readonly type: 'limited'; readonly allowed: number; readonly answers: number }

const OPEN: Phase = { type: 'open' }

/**
 * The gate for the requests of all runs to one provider. It is open until the provider refuses one (429, 529). Then
 * none starts until the time that the provider named, or a jittered backoff, is over; those in flight go on. After it
 * one goes first. When that one succeeds, half of what was in flight at the refusal may be, and one more for each ten
 * answers; more than was ever in flight at a refusal, and it is open again. When it fails, the pause begins anew. First
 * in, first out: who is refused has come before all who wait. While it is open it is two counters.
 */
export class Gate {
  readonly #provider: string
  readonly #clock: Clock
  readonly #random: () => number
  #phase: Phase = OPEN
  #placesGiven = 0
  /** In flight, or admitted and about to be. */
  #occupied = 0
  /** By their numbers. */
  #line: GateTicket[] = []
  readonly #admitted = new Set<GateTicket>()
  /** Pauses since the last success. */
  #pauses = 0
  /** What may be in flight after the probe. */
  #half = 1
  /** The most that was in flight at a refusal since it was open. */
  #most = 0
  #why = ''
  /** The end of the pause that those in line know. */
  #notifiedUntil = 0
  #cancelTimer: (() => void) | undefined

  constructor(provider: string, clock: Clock, random: () => number) {
    this.#provider = provider
    this.#clock = clock
    this.#random = random
  }

  /** For a request that is about to be made. */
  ticket(): GateTicket {
    return { number: this.#placesGiven++, state: 'outside' }
  }

  /**
   * Whether the request may start now; then it has. Otherwise it stands in line until `news`, and asks again: what was
   * its turn may be over. What has started or stands in line is to be ended.
   */
  start(ticket: GateTicket): boolean {
    if (ticket.state === 'outside') this.#enter(ticket)
    if (ticket.state === 'line') return false
    this.#admitted.delete(ticket)
    ticket.state = 'started'
    return true
  }

  /** Resolves as soon as it is its turn (true), or it waits for something else than `reason` said when this was called. */
  news(ticket: GateTicket): Promise<boolean> {
    if (ticket.state !== 'line') return Promise.resolve(true)
    return new Promise((resolve) => (ticket.notify = resolve))
  }

  /** What everybody in line waits for. */
  reason(): Pick<WaitingFor, 'detail' | 'until'> {
    const phase = this.#phase
    switch (phase.type) {
      case 'paused':
        return { detail: `${this.#provider} is paused: ${this.#why}`, until: phase.until }
      case 'probing':
        return {
          detail: `${this.#provider} is tested with one request first: ${this.#why}`,
          until: phase.until,
        }
      case 'limited':
      case 'open':
        return { detail: `${this.#provider} gets fewer requests at a time: ${this.#why}` }
    }
  }

  /** A try is over, or is not made any more. Without an error it got a whole answer. */
  end(ticket: GateTicket, error?: unknown): void {
    const { state } = ticket
    ticket.state = 'outside'
    if (state === 'outside') return
    if (state === 'line') this.#line = this.#line.filter((other) => other !== ticket)
    else this.#occupied--
    this.#admitted.delete(ticket)
    if (error === undefined && this.#phase === OPEN) return
    this.#passLongProbe()
    const isProbe = this.#phase.type === 'probing' && this.#phase.probe === ticket
    if (error === undefined) this.#answered(isProbe)
    else if (isRefusal(error) || (isProbe && isFailure(error))) this.#pause(error)
    // it says nothing of the provider: the next one is the probe
    else if (isProbe) this.#become({ type: 'paused', until: this.#clock.now() })
    this.#admit()
  }

  #enter(ticket: GateTicket): void {
    if (this.#phase === OPEN) {
      this.#occupied++
      ticket.state = 'started'
      return
    }
    this.#queue(ticket)
    this.#admit()
  }

  #queue(ticket: GateTicket): void {
    ticket.state = 'line'
    const later = this.#line.findIndex((other) => other.number > ticket.number)
    this.#line.splice(later < 0 ? this.#line.length : later, 0, ticket)
  }

  /** Lets in whom it can. */
  #admit(): void {
    this.#passLongProbe()
    while (this.#line.length > 0 && this.#hasRoom()) {
      const ticket = this.#line.shift()!
      ticket.state = 'admitted'
      this.#admitted.add(ticket)
      this.#occupied++
      if (this.#phase.type === 'paused')
        this.#become({ type: 'probing', probe: ticket, until: this.#clock.now() + gateBounds.probeMs })
      notify(ticket, true)
    }
    this.#setTimer()
  }

  #passLongProbe(): void {
    const phase = this.#phase
    if (phase.type === 'probing' && this.#clock.now() >= phase.until) this.#limit()
  }

  #hasRoom(): boolean {
    const phase = this.#phase
    switch (phase.type) {
      case 'open':
        return true
      case 'paused':
        return this.#clock.now() >= phase.until
      case 'probing':
        return false
      case 'limited':
        return this.#occupied < phase.allowed
    }
  }

  #answered(isProbe: boolean): void {
    if (isProbe) this.#limit()
    const phase = this.#phase
    if (phase.type !== 'limited') return
    this.#pauses = 0
    const answers = phase.answers + 1
    const allowed = phase.allowed + (answers % gateBounds.answersPerPlace === 0 ? 1 : 0)
    if (allowed <= this.#most) return this.#become({ type: 'limited', allowed, answers })
    this.#most = 0
    this.#become(OPEN)
  }

  #limit(): void {
    this.#become({ type: 'limited', allowed: this.#half, answers: 0 })
  }

  /** One millisecond more: what a clock of whole milliseconds reads may be that much too early. */
  #pause(error: ProviderError): void {
    const now = this.#clock.now()
    const phase = this.#phase
    const isPaused = phase.type === 'paused' && now < phase.until
    if (!isPaused) this.#pauses++
    const until = now + backOffMs(error, this.#pauses, this.#random) + 1
    this.#why = errorMessage(error)
    if (isPaused) {
      this.#phase = { type: 'paused', until: Math.max(phase.until, until) }
      return
    }
    if (phase.type === 'open' || phase.type === 'limited') this.#halve()
    for (const ticket of this.#admitted) this.#queue(ticket)
    this.#occupied -= this.#admitted.size
    this.#admitted.clear()
    this.#become({ type: 'paused', until })
    this.#notifyWaiting(until)
  }

  #halve(): void {
    const inFlight = this.#occupied - this.#admitted.size + 1 // with the refused one
    this.#half = Math.max(1, Math.floor(inFlight / 2))
    this.#most = Math.max(this.#most, inFlight)
  }

  #become(phase: Phase): void {
    this.#phase = phase
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  #notifyWaiting(until: number): void {
    this.#notifiedUntil = until
    for (const ticket of this.#line) notify(ticket, false)
  }

  /** Only while somebody waits for it. */
  #setTimer(): void {
    const phase = this.#phase
    if (this.#line.length === 0 || !('until' in phase)) {
      this.#cancelTimer?.()
      this.#cancelTimer = undefined
      return
    }
    this.#cancelTimer ??= this.#clock.after(phase.until - this.#clock.now(), () => {
      this.#cancelTimer = undefined
      // refusals of what was in flight have made the pause longer: said once, not at each of them
      const { type, until } = { until: 0, ...this.#phase }
      if (type === 'paused' && until > this.#notifiedUntil && until > this.#clock.now())
        this.#notifyWaiting(until)
      this.#admit()
    })
  }
}

/** The gates of a process, one for each provider: what a resolver knows has one address and one key for each. */
export class Gates {
  readonly #clock: Clock
  readonly #random: () => number
  readonly #byProvider = new Map<string, Gate>()

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  of({ provider }: { readonly provider: string }): Gate {
    let gate = this.#byProvider.get(provider)
    if (!gate) this.#byProvider.set(provider, (gate = new Gate(provider, this.#clock, this.#random)))
    return gate
  }
}

function notify(ticket: GateTicket, isItsTurn: boolean): void {
  ticket.notify?.(isItsTurn)
  ticket.notify = undefined
}

/** The provider did not answer as it should, so it may not be able to. */
function isFailure(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.retryable
}
