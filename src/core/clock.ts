/** Time as a port: milliseconds since the epoch, and timers that tests can fire. */
export interface Clock {
  now(): number
  /** Calls `fn` once after `ms`; the returned function cancels. A real timer does not keep the process alive. */
  after(ms: number, fn: () => void): () => void
}

/** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const onAbort = () => {
      cancel()
      reject(signal!.reason as Error)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
