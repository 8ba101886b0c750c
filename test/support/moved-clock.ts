import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/exec/system-clock.ts'

export interface MovedClock extends Clock {
  move(ms: number): void
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/** The clock of the machine, which can be moved forward; timers that are due by then fire. */
export function movedClock(): MovedClock {
  let ahead = 0
  const timers = new Set<Timer>()
  const now = () => systemClock.now() + ahead
  return {
    now,
    after(ms, fn) {
      const fire = () => {
        cancel()
        fn()
      }
      const cancel = () => {
        stop()
        timers.delete(timer)
      }
      const timer = { at: now() + ms, fire }
      const stop = systemClock.after(ms, fire)
      timers.add(timer)
      return cancel
    },
    move(ms) {
      ahead += ms
      // one that fires may cancel another one, or set a new one
      const due = Array.from(timers).filter(({ at }) => at <= now())
      for (const timer of due) if (timers.has(timer)) timer.fire()
    },
  }
}
