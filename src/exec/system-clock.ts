import type { Clock } from '../core/clock.ts'

/** The machine's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
