import type { Clock } from '../core/clock.ts'

/** A timer of the platform fires at once for a longer delay. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The machine's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    let timer: NodeJS.Timeout
    const wait = (left: number) => {
      const next = Math.min(left, MAX_TIMER_MS)
      timer = setTimeout(() => (left > next ? wait(left - next) : fn()), next)
      timer.unref()
    }
    wait(ms)
    return () => clearTimeout(timer)
  },
}
