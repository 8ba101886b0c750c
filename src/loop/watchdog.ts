import type { Clock } from '../core/clock.ts'

export interface Watchdog {
  /** An event of the run: the time starts again. */
  touch(): void
  /** Time stands still until the returned function is called: for a person, for children, for a tool with its own time limit. */
  hold(): () => void
  end(): void
}

/** Calls `onStall` once when nothing touched it for `stallMs` (L1). One timer, set anew only when it fires early. */
export function createWatchdog(clock: Clock, stallMs: number, onStall: () => void): Watchdog {
  let last = clock.now()
  let holds = 0
  let cancel = clock.after(stallMs, check)

  function check() {
    const left = last + stallMs - clock.now()
    if (holds === 0 && left <= 0) return onStall()
    cancel = clock.after(holds > 0 ? stallMs : left, check)
  }

  const touch = () => {
    last = clock.now()
  }
  return {
    touch,
    hold() {
      holds++
      let held = true
      return () => {
        if (held) holds--
        held = false
        touch()
      }
    },
    end: () => cancel(),
  }
}
