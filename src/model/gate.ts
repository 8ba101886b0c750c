import type { Clock } from '../core/clock.ts'
import { errorMessage, ProviderError } from '../core/errors.ts'
import type { WaitingFor } from '../core/run.ts'
import { backOffMs, isRefusal } from './retry.ts'

export const gateBounds = {
  /** Number of complete answers for which one more request may be in flight. */
  answersPerPlace: 10,
  /** A probe not refused by then counts as accepted: the others do not wait for its end. */
  probeMs: 15_000,
} as const

/** A request at the gate, through all its tries: after a refusal it keeps its place in the queue. */
export interface GateTicket {
  readonly number: number
  state: 'outside' | 'line' | 'admitted' | 'started'
  /** Called when it is its turn (true), or the reason to wait changes. */
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
 * The gate for all runs' requests to one provider. It is open until the provider refuses a request (429, 529). Then
 * none starts until the provider's retry time, or a jittered backoff, is over; those in flight continue. Next, one
 * request goes alone. If it succeeds, half of the number in flight at the refusal may be in flight, and one more for
 * each ten answers; above the highest number at any refusal, the gate is open again. If it fails, the pause restarts.
 * First in, first out: a refused request came before all waiting ones. While it is open, it is two counters.
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
  /** The number allowed in flight after the probe. */
  #half = 1
  /** The highest number in flight at a refusal since it was open. */
  #most = 0
  #why = ''
  /** The end of the pause as last reported to the queue. */
  #notifiedUntil = 0
  #cancelTimer: (() => void) | undefined

  constructor(provider: string, clock: Clock, random: () => number) {
    this.#provider = provider
    this.#clock = clock
    this.#random = random
  }

  /** For a request about to be made. */
  ticket(): GateTicket {
    return { number: this.#placesGiven++, state: 'outside' }
  }

  /**
   * Whether the request may start now; then it counts as started. Otherwise it queues until `news`, and asks again,
   * because its turn may be over. A started or queued request must be ended.
   */
  start(ticket: GateTicket): boolean {
    if (ticket.state === 'outside') this.#enter(ticket)
    if (ticket.state === 'line') return false
    this.#admitted.delete(ticket)
    ticket.state = 'started'
    return true
  }

  /** Resolves when it is its turn (true), or the reason to wait differs from `reason` at the call. */
  news(ticket: GateTicket): Promise<boolean> {
    if (ticket.state !== 'line') return Promise.resolve(true)
    return new Promise((resolve) => (ticket.notify = resolve))
  }

  /** The reason that everybody in the queue waits for. */
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

  /** A try is over or cancelled. Without an error, it got a complete answer. */
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
    // it says nothing about the provider: the next one is the probe
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

  /** Admits as many as possible. */
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

  /** One millisecond more: a clock of whole milliseconds may be that much early. */
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

  /** Only while a request waits for it. */
  #setTimer(): void {
    const phase = this.#phase
    if (this.#line.length === 0 || !('until' in phase)) {
      this.#cancelTimer?.()
      this.#cancelTimer = undefined
      return
    }
    this.#cancelTimer ??= this.#clock.after(phase.until - this.#clock.now(), () => {
      this.#cancelTimer = undefined
      // refusals of requests in flight extended the pause: reported once, not for each
      const { type, until } = { until: 0, ...this.#phase }
      if (type === 'paused' && until > this.#notifiedUntil && until > this.#clock.now())
        this.#notifyWaiting(until)
      this.#admit()
    })
  }
}

/** The gates of a process, one per provider: a resolver has one address and one key for each. */
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

/** An error that may mean the provider is unable to answer. */
function isFailure(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.retryable
}
