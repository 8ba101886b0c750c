import type { Clock } from '../core/clock.ts'
import type { RunLimits } from '../core/run.ts'
import type { OwnStop } from './ports.ts'

/**
 * What bounds the current wait: a wait for a person or a slot stops both clocks, a wait with its own limit only one.
 */
export type WaitsFor = 'person' | 'slot' | 'itself'

export interface Watchdog {
  /** An event of the run: restarts the time without one. */
  touch(): void
  /**
   * Until the returned function is called, no stall is counted. While the run waits for a person or a slot, its timeout
   * stops too.
   */
  suspend(waitsFor: WaitsFor): () => void
  /** Remaining time of the run; null: no limit. */
  leftMs(): number | null
  end(): void
}

/** Waits with the watchdog suspended. */
export async function whileSuspended<T>(
  watchdog: Watchdog,
  waitsFor: WaitsFor,
  wait: () => Promise<T>,
): Promise<T> {
  const resume = watchdog.suspend(waitsFor)
  try {
    return await wait()
  } finally {
    resume()
  }
}

/** Reports once when no event came for `stallMs` (invariant L1), and when the run has used its `timeoutMs`. */
export function createWatchdog(
  clock: Clock,
  { stallMs, timeoutMs }: Pick<RunLimits, 'stallMs' | 'timeoutMs'>,
  onStop: (reason: OwnStop) => void,
): Watchdog {
  const stall = createStallTimer(clock, stallMs, () => onStop('stall'))
  const limit = timeoutMs === null ? undefined : createTimeLimit(clock, timeoutMs, () => onStop('timeout'))
  return {
    touch: stall.touch,
    suspend(waitsFor) {
      const resumes = [stall.suspend(), ...(waitsFor !== 'itself' && limit ? [limit.suspend()] : [])]
      let suspended = true
      return () => {
        if (suspended) for (const resume of resumes) resume()
        suspended = false
      }
    },
    leftMs: () => limit?.leftMs() ?? null,
    end() {
      stall.end()
      limit?.end()
    },
  }
}

/** One timer, reset only when it fires early. */
function createStallTimer(clock: Clock, stallMs: number, onStall: () => void) {
  let last = clock.now()
  let suspensions = 0
  let cancel = clock.after(stallMs, check)

  function check() {
    const left = last + stallMs - clock.now()
    if (suspensions === 0 && left <= 0) return onStall()
    cancel = clock.after(suspensions > 0 ? stallMs : left, check)
  }

  const touch = () => {
    last = clock.now()
  }
  const resume = () => {
    suspensions--
    touch()
  }
  return { touch, suspend: () => (suspensions++, resume), end: () => cancel() }
}

function createTimeLimit(clock: Clock, limitMs: number, onTimeout: () => void) {
  let left = limitMs
  let since = clock.now()
  let suspensions = 0
  let ended = false
  let cancel = clock.after(left, onTimeout)

  const suspend = () => {
    if (suspensions++ === 0) {
      cancel()
      left -= clock.now() - since
    }
    return resume
  }
  const resume = () => {
    if (--suspensions > 0 || ended) return
    since = clock.now()
    cancel = clock.after(left, onTimeout)
  }
  const end = () => {
    ended = true
    cancel()
  }
  const leftMs = () => Math.max(0, suspensions > 0 ? left : left - (clock.now() - since))
  return { suspend, leftMs, end }
}

/** For the report of a run that its own clocks have stopped. */
export function whyStopped(own: OwnStop, { stallMs }: Pick<RunLimits, 'stallMs'>): string {
  return own === 'stall' ? `no events for ${stallMs / 1_000} s` : 'it reached its time limit'
}
