import type { Clock } from '../core/clock.ts'

/**
 * The promise, or the signal's reason as a rejection `graceMs` after it aborts: abandons work that ignores its signal,
 * but accepts a result within that time.
 */
export function unlessAborted<T>(
  promise: PromiseLike<T>,
  signal: AbortSignal,
  clock: Clock,
  graceMs: number,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let cancel: (() => void) | undefined
    const giveUp = () => reject(signal.reason as Error)
    const onAbort = () => {
      if (graceMs === 0) giveUp()
      else cancel = clock.after(graceMs, giveUp)
    }
    const settle = () => {
      signal.removeEventListener('abort', onAbort)
      cancel?.()
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    promise.then(
      (value) => (settle(), resolve(value)),
      (error: unknown) => (settle(), reject(error as Error)),
    )
  })
}
