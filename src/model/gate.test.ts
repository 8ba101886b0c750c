import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { handClock, type HandClock } from '../../test/support/runtime-harness.ts'
import { ProviderError } from '../core/errors.ts'
import { Gate, gateBounds, Gates, type GateTicket } from './gate.ts'

const SECOND = 1_000

function refusal(retryAfterMs?: number, status = 429): ProviderError {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  return new ProviderError(`own/model: HTTP ${status}: slow down`, { status, retryable: true, ...wait })
}

const broken = new ProviderError('own/model: the answer was cut off', { retryable: true })
const wrong = new ProviderError('own/model: HTTP 400: no such thing', { status: 400, retryable: false })

/** A gate whose waiting requests start as soon as they may, without jitter. */
function open(): { gate: Gate; clock: HandClock; ask(n: number): GateTicket[]; started: GateTicket[] } {
  const clock = handClock()
  const gate = new Gate('own', clock, () => 0)
  const started: GateTicket[] = []
  const begin = async (place: GateTicket) => {
    while (!gate.start(place)) {
      await gate.news(place)
      if (place.state === 'outside') return
    }
    started.push(place)
  }
  const ask = (n: number) =>
    Array.from({ length: n }, () => {
      const place = gate.ticket()
      void begin(place)
      return place
    })
  return { gate, clock, ask, started }
}

const started = (places: readonly GateTicket[]) => places.filter(({ state }) => state === 'started').length

describe('open', () => {
  it('lets everything through at once and sets no timer', () => {
    const { gate, clock } = open()
    const places = Array.from({ length: 1_000 }, () => gate.ticket())
    expect(places.every((place) => gate.start(place))).toBe(true)
    for (const place of places) gate.end(place)
    expect(clock.pending()).toBe(0)
  })

  it.each([
    ['a broken answer', broken],
    ['a wrong request', wrong],
    ['an end from within', new Error('stopped')],
    ['no money left', new ProviderError('own/model: HTTP 429', { status: 429, retryable: false })],
    ['a wait that is too long', refusal(86_400 * SECOND)],
  ])('is not closed by %s', (_, error) => {
    const { gate, ask } = open()
    const [first] = ask(1)
    gate.end(first!, error)
    expect(started(ask(60))).toBe(60)
  })

  it('is closed by 429 and 529', () => {
    for (const status of [429, 529]) {
      const { gate, ask } = open()
      gate.end(ask(1)[0]!, refusal(SECOND, status))
      expect(started(ask(60))).toBe(0)
    }
  })
})

describe('after a refusal', () => {
  it('nothing starts until the named time is over, then one, then half of what was in flight', async () => {
    const { gate, clock, ask } = open()
    const [refused, ...others] = ask(60)
    gate.end(refused!, refusal(30 * SECOND))
    gate.start(refused!)
    const waiting = ask(100)
    for (const place of others) gate.end(place)
    await clock.advance(30 * SECOND)
    expect([refused!.state, started(waiting)]).toEqual(['line', 0])
    await clock.advance(1)
    expect([refused!.state, started(waiting)]).toEqual(['admitted', 0])
    expect(gate.start(refused!)).toBe(true)
    await clock.advance(SECOND)
    expect(started(waiting)).toBe(0)
    gate.end(refused!)
    await clock.settle()
    expect(started(waiting)).toBe(30)
    expect(waiting.slice(0, 30).every(({ state }) => state === 'started')).toBe(true)
  })

  it('one more may be in flight for each ten answers, and all once that is more than there ever was', async () => {
    const { gate, clock, ask, started: order } = open()
    const first = ask(8)
    gate.end(first[0]!, refusal(SECOND))
    for (const place of first.slice(1)) gate.end(place)
    ask(200)
    await clock.advance(SECOND + 1)
    const inFlight = () => order.filter(({ state }) => state === 'started').length
    const seen = [inFlight()]
    for (let answers = 0; inFlight() <= 8; answers++) {
      gate.end(order.find(({ state }) => state === 'started')!)
      await clock.settle()
      if (answers % gateBounds.answersPerPlace === 0 || inFlight() > 8) seen.push(inFlight())
    }
    // the probe; from its answer on half of eight, and one more for each ten with it
    expect(seen.slice(0, 6)).toEqual([1, 4, 5, 6, 7, 8])
    expect(inFlight()).toBeGreaterThan(100)
  })

  it('what was admitted and had not started yet waits again when another is refused', async () => {
    const { gate, clock, ask } = open()
    const [one, two] = ask(2)
    gate.end(one!, refusal(SECOND))
    const waits = gate.ticket()
    expect(gate.start(waits)).toBe(false)
    await clock.advance(SECOND + 1)
    expect(waits.state).toBe('admitted')
    gate.end(two!, refusal(5 * SECOND))
    expect(gate.start(waits)).toBe(false)
    await clock.advance(5 * SECOND)
    expect(gate.start(waits)).toBe(false)
    await clock.advance(1)
    expect(gate.start(waits)).toBe(true)
  })

  it('refusals of what was in flight make the pause longer, never shorter, and those in line are told once', async () => {
    const { gate, clock, ask } = open()
    const inFlight = ask(4)
    gate.end(inFlight[0]!, refusal(10 * SECOND))
    const waits = gate.ticket()
    gate.start(waits)
    let told = 0
    void gate.news(waits).then(() => told++)
    gate.end(inFlight[1]!, refusal(20 * SECOND))
    gate.end(inFlight[2]!, refusal(30 * SECOND))
    gate.end(inFlight[3]!, refusal(SECOND))
    await clock.settle()
    expect(told).toBe(0)
    await clock.advance(10 * SECOND + 1)
    expect([told, gate.start(waits)]).toEqual([1, false])
    expect(gate.reason().until).toBe(clock.now() + 20 * SECOND)
    await clock.advance(20 * SECOND)
    expect(gate.start(waits)).toBe(true)
  })

  it('says for whom one waits, why and until when', async () => {
    const { gate, clock, ask } = open()
    const [first] = ask(1)
    gate.end(first!, refusal(SECOND))
    ask(2)
    const until = clock.now() + SECOND + 1
    expect(gate.reason()).toEqual({ detail: 'own is paused: own/model: HTTP 429: slow down', until })
    await clock.advance(SECOND + 1)
    expect(gate.reason().detail).toBe('own is tested with one request first: own/model: HTTP 429: slow down')
  })
})

describe('the probe', () => {
  function paused(waiting: number) {
    const all = open()
    const places = all.ask(20)
    all.gate.end(places[0]!, refusal(SECOND))
    for (const place of places.slice(1)) all.gate.end(place)
    return { ...all, waiting: all.ask(waiting) }
  }

  it('that is refused or gets no answer starts the pause anew, longer each time where no time is named', async () => {
    for (const [error, waits] of [
      [refusal(7 * SECOND), [7 * SECOND, 7 * SECOND]],
      [refusal(), [SECOND, 2 * SECOND]],
      [broken, [SECOND, 2 * SECOND]],
    ] as const) {
      const { gate, clock, waiting } = paused(30)
      await clock.advance(SECOND + 1)
      for (const [n, wait] of waits.entries()) {
        expect(started(waiting)).toBe(1)
        gate.end(waiting[n]!, error)
        await clock.advance(wait)
        expect(started(waiting)).toBe(0)
        await clock.advance(1)
      }
      gate.end(waiting[2]!)
      await clock.settle()
      expect(started(waiting)).toBe(10)
    }
  })

  it.each([
    ['whose run is stopped', new Error('stopped')],
    ['that was wrong in itself', wrong],
  ])('%s leaves its turn to the next one, at once', async (_, error) => {
    const { gate, clock, waiting } = paused(5)
    await clock.advance(SECOND + 1)
    gate.end(waiting[0]!, error)
    await clock.settle()
    expect(waiting.map(({ state }) => state)).toEqual(['outside', 'started', 'line', 'line', 'line'])
  })

  it('that is not started when its run is stopped leaves its turn too', async () => {
    const { gate, clock, ask } = paused(0)
    const place = gate.ticket()
    gate.start(place)
    const [next] = ask(1)
    await clock.advance(SECOND + 1)
    expect([place.state, next!.state]).toEqual(['admitted', 'line'])
    gate.end(place, new Error('stopped'))
    await clock.settle()
    expect(next!.state).toBe('started')
  })

  it('that takes long is not waited for', async () => {
    const { clock, waiting } = paused(30)
    await clock.advance(SECOND + gateBounds.probeMs)
    expect(started(waiting)).toBe(1)
    await clock.advance(1)
    expect(started(waiting)).toBe(10)
  })

  it('that took long and ends badly pauses nobody', async () => {
    const { gate, clock, ask } = paused(0)
    await clock.advance(SECOND + 1)
    const [probe] = ask(1)
    await clock.advance(gateBounds.probeMs)
    gate.end(probe!, broken)
    expect(started(ask(30))).toBe(10)
  })

  it('is whoever comes next when nobody waits, however late', async () => {
    const { clock, ask } = paused(0)
    expect(clock.pending()).toBe(0)
    await clock.advance(3_600 * SECOND)
    expect(ask(3).map(({ state }) => state)).toEqual(['started', 'line', 'line'])
  })
})

it('who leaves the line is not admitted, and the last one takes the timer along', async () => {
  const { gate, clock, ask } = open()
  gate.end(ask(1)[0]!, refusal(SECOND))
  const [one, two] = ask(2)
  gate.end(one!, new Error('stopped'))
  expect(clock.pending()).toBe(1)
  gate.end(two!, new Error('stopped'))
  expect(clock.pending()).toBe(0)
  expect(ask(1)[0]!.state).toBe('line')
  await clock.advance(SECOND + 1)
  expect(one!.state).toBe('outside')
})

test('each provider has a gate of its own', () => {
  const gates = new Gates(handClock(), () => 0)
  expect(gates.of({ provider: 'a' })).toBe(gates.of({ provider: 'a' }))
  expect(gates.of({ provider: 'a' })).not.toBe(gates.of({ provider: 'b' }))
})

/** How a request in flight ends that is not refused. */
const ends = { answer: undefined, break: broken, stop: new Error('stopped') } as const

type Step =
  | { readonly do: 'ask' }
  | { readonly do: keyof typeof ends | 'leave'; readonly which: number }
  | { readonly do: 'refuse'; readonly which: number; readonly afterMs: number | undefined }
  | { readonly do: 'wait'; readonly ms: number }

const which = fc.nat(100)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'ask' }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('answer', 'break', 'stop', 'leave'), which }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('refuse' as const),
      which,
      afterMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(30_000) }) },
)

/** Time that only moves by `pass`, firing what is due on the way, without any turn of the event loop. */
function plainClock() {
  let now = 0
  let timers: { readonly at: number; readonly fn: () => void }[] = []
  const fireNext = (until: number) => {
    const timer = timers.toSorted((a, b) => a.at - b.at)[0]
    if (!timer || timer.at > until) return false
    timers = timers.filter((other) => other !== timer)
    now = Math.max(now, timer.at)
    timer.fn()
    return true
  }
  return {
    now: () => now,
    after(ms: number, fn: () => void) {
      const timer = { at: now + ms, fn }
      timers.push(timer)
      return () => void (timers = timers.filter((other) => other !== timer))
    },
    /** `each` is called after each timer, and at the end. */
    pass(ms: number, each: () => void) {
      const end = now + ms
      while (fireNext(end)) each()
      now = end
      each()
    },
    pending: () => timers.length,
  }
}

/** Plays steps on a gate, starts whoever it lets, and checks at each start whether it should. */
class Play {
  readonly clock = plainClock()
  readonly gate = new Gate('own', this.clock, () => 0.5)
  asked: GateTicket[] = []
  inFlight: GateTicket[] = []
  /** Starts that should not have been. */
  readonly problems: string[] = []
  /** Nothing may start before. */
  closedUntil = 0
  /** What is to end before another one starts; null: the next one that starts is the probe. */
  probe: GateTicket | null | undefined
  probeSince = 0

  take(step: Step): void {
    switch (step.do) {
      case 'ask':
        this.asked.push(this.gate.ticket())
        break
      case 'wait':
        this.clock.pass(step.ms, () => this.startAll())
        break
      case 'refuse':
        this.end(this.inFlight, step.which, refusal(step.afterMs))
        break
      case 'leave':
        this.end(this.asked, step.which, new Error('stopped'))
        break
      default:
        this.end(this.inFlight, step.which, ends[step.do])
    }
    this.startAll()
  }

  end(from: GateTicket[], at: number, error?: Error): void {
    const place = from[at % from.length]
    if (!place) return
    from.splice(from.indexOf(place), 1)
    if (this.clock.now() - this.probeSince >= gateBounds.probeMs) this.probe &&= undefined
    const isRefused = error instanceof ProviderError && error.status === 429
    if (isRefused) this.refused(error)
    if (place === this.probe) {
      if (error === broken) this.refused(broken)
      else if (error) this.probe = null
      else this.probe = undefined
    }
    this.gate.end(place, error)
    if (isRefused) this.asked.push(place) // tried again
  }

  refused({ retryAfterMs }: ProviderError): void {
    this.closedUntil = Math.max(this.closedUntil, this.clock.now() + (retryAfterMs ?? 0) + 1)
    this.probe = null
  }

  startAll(): void {
    for (const place of this.asked.toSorted((a, b) => a.number - b.number)) {
      if (!this.gate.start(place)) continue
      this.check(place)
      this.asked.splice(this.asked.indexOf(place), 1)
      this.inFlight.push(place)
    }
  }

  check(place: GateTicket): void {
    const now = this.clock.now()
    if (now < this.closedUntil) this.problems.push(`${now}: before ${this.closedUntil}`)
    const earlier = this.asked.find(({ number }) => number < place.number)
    if (earlier) this.problems.push(`${place.number} before ${earlier.number}`)
    if (this.probe === null) {
      this.probe = place
      this.probeSince = now
    } else if (this.probe) {
      if (now - this.probeSince < gateBounds.probeMs) this.problems.push(`${place.number} beside a probe`)
      this.probe = undefined
    }
  }
}

describe('whatever happens', () => {
  it('nothing starts while it is paused, one goes first after that, and in the order in which they came', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const play = new Play()
        for (const each of steps) play.take(each)
        expect(play.problems).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('nothing waits for ever: with answers from now on all get through, and no timer is left', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const play = new Play()
        for (const each of steps) play.take(each)
        const left = play.asked.length + play.inFlight.length
        for (let n = 0; play.asked.length + play.inFlight.length > 0; n++) {
          expect(n).toBeLessThanOrEqual(left)
          if (play.inFlight.length === 0) play.take({ do: 'wait', ms: 660_001 })
          play.take({ do: 'answer', which: 0 })
        }
        expect(play.clock.pending()).toBe(0)
        expect(play.problems).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('as many are in flight as it allows: half of those at the refusal, and one more for ten answers', () => {
    const size = fc.integer({ min: 1, max: 80 })
    fc.assert(
      fc.property(size, fc.array(which, { minLength: 1, maxLength: 200 }), (before, answers) => {
        const play = new Play()
        for (let n = 0; n < before; n++) play.take({ do: 'ask' })
        play.take({ do: 'refuse', which: 0, afterMs: SECOND })
        for (let n = 1; n < before; n++) play.take({ do: 'answer', which: 0 })
        for (let n = 0; n < 500; n++) play.take({ do: 'ask' })
        play.take({ do: 'wait', ms: 2 * SECOND })
        for (const [done, at] of answers.entries()) {
          play.take({ do: 'answer', which: at })
          const allowed =
            Math.max(1, Math.floor(before / 2)) + Math.floor((done + 1) / gateBounds.answersPerPlace)
          if (allowed > before) break
          expect(play.inFlight).toHaveLength(allowed)
        }
      }),
    )
  })
})
