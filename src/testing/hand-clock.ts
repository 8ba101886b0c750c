import { clearTimeout, setTimeout } from 'node:timers'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../core/clock.ts'
import { watchRealWork } from './real-work.ts'

/** A clock that a test moves. Timers due at the same time fire in the order in which they were set. */
export interface HandClock extends Clock {
  /** Runs everything that needs no time to pass, including files, processes and requests. */
  settle(): Promise<void>
  /** Moves time forward and fires due timers on the way. */
  advance(ms: number): Promise<void>
  /**
   * Waits for a promise; whenever nothing else can run, time jumps to the next timer. Fails if there is none and no
   * file or process has made progress for a second of real time.
   */
  until<T>(promise: Promise<T>): Promise<T>
  pending(): number
}

export interface HandClockOptions {
  /**
   * While no call moves the clock, a timer also fires after the same amount of real time, so code that waits without
   * the clock takes as long as without a hand clock. Default: false: such code waits forever.
   */
  readonly runs?: boolean
}

interface Timer {
  readonly at: number
  readonly order: number
  /** Uses the real clock. */
  readonly due: number
  readonly fn: () => void
}

const START = 1_800_000_000_000
/** Idle turns of the event loop after which nothing more can happen: a write takes one, a chain of writes several. */
const IDLE_TURNS = 30
const MAX_IDLE_MS = 1_000
/** The longest delay of a real timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The timers of a clock, and the time of the last one that fired. */
class Timers {
  now: number
  #all: Timer[] = []
  #order = 0

  constructor(now: number) {
    this.now = now
  }

  get size(): number {
    return this.#all.length
  }

  add(ms: number, fn: () => void): () => void {
    const timer = { at: this.now + ms, order: this.#order++, due: performance.now() + ms, fn }
    this.#all.push(timer)
    return () => void (this.#all = this.#all.filter((each) => each !== timer))
  }

  next(): Timer | undefined {
    return this.#all.toSorted((a, b) => a.at - b.at || a.order - b.order)[0]
  }

  fire(timer: Timer): void {
    this.#all = this.#all.filter((each) => each !== timer)
    this.now = Math.max(this.now, timer.at)
    timer.fn()
  }

  /** Uses the real clock. */
  get nextDue(): number {
    return Math.min(...this.#all.map(({ due }) => due))
  }

  /** Keeps the order of this clock: earlier timers fire together with one whose real time has passed. */
  fireDue(): void {
    const real = performance.now()
    const last = Math.max(...this.#all.filter(({ due }) => due <= real).map(({ at }) => at))
    for (let timer = this.next(); timer && timer.at <= last; timer = this.next()) this.fire(timer)
  }
}

/** `laterMs`: how much later it starts than the clocks of other tests, like the clock of a later process. */
export function handClock(laterMs = 0, { runs = false }: HandClockOptions = {}): HandClock {
  const work = watchRealWork()
  const timers = new Timers(START + laterMs)
  let movers = 0
  let running: NodeJS.Timeout | undefined
  const run = () => {
    clearTimeout(running)
    if (!runs || movers > 0 || timers.size === 0) return
    const ms = Math.min(Math.max(0, timers.nextDue - performance.now()), MAX_TIMER_MS)
    running = setTimeout(() => {
      timers.fireDue()
      run()
    }, ms).unref()
  }
  const move = async <T>(how: () => Promise<T>): Promise<T> => {
    movers++
    run()
    try {
      return await how()
    } finally {
      movers--
      run()
    }
  }
  const settle = async () => {
    for (let isIdle = false; !isIdle; isIdle = !(await work.finished()))
      for (let turns = 0; turns < IDLE_TURNS; turns++) await turn()
  }
  const fire = async (timer: Timer) => {
    timers.fire(timer)
    await settle()
  }
  return {
    now: () => timers.now,
    after(ms, fn) {
      const cancel = timers.add(ms, fn)
      run()
      return cancel
    },
    settle: () => move(settle),
    advance: (ms) =>
      move(async () => {
        const target = timers.now + ms
        await settle()
        for (let timer = timers.next(); timer && timer.at <= target; timer = timers.next()) await fire(timer)
        timers.now = target
      }),
    until: (promise) =>
      move(async () => {
        let done = false
        const end = () => void (done = true)
        promise.then(end, end)
        let idle = 0
        for (await settle(); !done;) {
          const timer = timers.next()
          if (timer) await fire(timer)
          else if (++idle < MAX_IDLE_MS) await wait(1)
          else throw new Error('the promise has not settled, and nothing is left to run')
        }
        return await promise
      }),
    pending: () => timers.size,
  }
}
