import type { Clock } from '../../core/clock.ts'
import { ToolError } from '../port.ts'

/** Runs `work` with a signal that also aborts after `ms`, then with a ToolError `timeout` as its reason. */
export async function within<T>(
  { clock, ms, what, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const time = new AbortController()
  const cancel = clock.after(ms, () =>
    time.abort(new ToolError('timeout', `${what} took longer than ${ms / 1000} s`)),
  )
  try {
    return await work(AbortSignal.any([signal, time.signal]))
  } finally {
    cancel()
  }
}

export interface Deadline {
  readonly clock: Clock
  readonly ms: number
  /** Name of the operation, for the message. */
  readonly what: string
  readonly signal: AbortSignal
}

/** Stops waiting when the signal aborts, and rejects with its reason. Abandoned work may continue. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    const settled = () => signal.removeEventListener('abort', onAbort)
    void promise.then(resolve, reject).finally(settled) // never rejects
  })
}
