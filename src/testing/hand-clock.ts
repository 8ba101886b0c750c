import { clearTimeout, setTimeout } from 'node:timers'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../core/clock.ts'
import { watchRealWork } from './real-work.ts'

/** A clock that a test moves. Timers that fire at the same time fire in the order in which they were set. */
export interface HandClock extends Clock {
  /** Lets everything that can go on without time go on, files, processes and requests included. */
  settle(): Promise<void>
  /** Moves time forward, firing what is due on the way. */
  advance(ms: number): Promise<void>
  /**
   * Waits for a promise; whenever nothing else can happen, time jumps to the next timer. Fails where there is none, and
   * for a second of real time neither a file nor a process has brought anything.
   */
  until<T>(promise: Promise<T>): Promise<T>
  pending(): number
}

export interface HandClockOptions {
  /**
   * While no call moves the clock, a timer fires once as much real time has passed. Code that waits without the clock
   * then takes as long as it would without one. Default: false, and such code waits for ever.
   */
  readonly runs?: boolean
}

interface Timer {
  readonly at: number
  readonly order: number
  /** By the real clock. */
  readonly due: number
  readonly fn: () => void
}

const START = 1_800_000_000_000
/** Turns of the event loop without which nothing happens any more: a write takes one, and a chain of them several. */
const IDLE_TURNS = 30
const MAX_IDLE_MS = 1_000
/** What a real timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The timers of a clock, and the time that the last one to fire has set. */
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

  /** By the real clock. */
  get nextDue(): number {
    return Math.min(...this.#all.map(({ due }) => due))
  }

  /** The order is that of this clock: what comes before a timer whose real time has passed fires with it. */
  fireDue(): void {
    const real = performance.now()
    const last = Math.max(...this.#all.filter(({ due }) => due <= real).map(({ at }) => at))
    for (let timer = this.next(); timer && timer.at <= last; timer = this.next()) this.fire(timer)
  }
}

/** `laterMs`: how much later than those of other tests it begins, as the clock of a process that comes after another. */
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
          else throw new Error('nothing can happen any more, and the promise has not settled')
        }
        return await promise
      }),
    pending: () => timers.size,
  }
}
