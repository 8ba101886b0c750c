import type { Clock } from '../core/clock.ts'

/** A clock that a test moves. Timers that fire at the same time fire in the order in which they were set. */
export interface HandClock extends Clock {
  /** Lets everything that can go on without time go on. */
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

const START = 1_800_000_000_000
/** Turns of the event loop without which nothing happens any more: a write takes one, and a chain of them several. */
const IDLE_TURNS = 30
const MAX_IDLE_MS = 1_000

/** `laterMs`: how much later than those of other tests it begins, as the clock of a process that comes after another. */
export function handClock(laterMs = 0): HandClock {
  let now = START + laterMs
  let order = 0
  let timers: { at: number; order: number; fn: () => void }[] = []
  const settle = async () => {
    for (let turn = 0; turn < IDLE_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const next = () => timers.toSorted((a, b) => a.at - b.at || a.order - b.order)[0]
  const fire = async (timer: NonNullable<ReturnType<typeof next>>) => {
    timers = timers.filter((each) => each !== timer)
    now = Math.max(now, timer.at)
    timer.fn()
    await settle()
  }
  return {
    now: () => now,
    after(ms, fn) {
      const timer = { at: now + ms, order: order++, fn }
      timers.push(timer)
      return () => void (timers = timers.filter((each) => each !== timer))
    },
    settle,
    async advance(ms) {
      const target = now + ms
      await settle()
      for (let timer = next(); timer && timer.at <= target; timer = next()) await fire(timer)
      now = target
    },
    async until(promise) {
      let done = false
      const end = () => void (done = true)
      promise.then(end, end)
      let idle = 0
      for (await settle(); !done;) {
        const timer = next()
        if (timer) await fire(timer)
        else if (++idle < MAX_IDLE_MS) await new Promise((resolve) => setTimeout(resolve, 1))
        else throw new Error('nothing can happen any more, and the promise has not settled')
      }
      return await promise
    },
    pending: () => timers.length,
  }
}
