/** Calls `fn` once after this many milliseconds, unless the returned function is called first. */
export function after(ms: number, fn: () => void): () => void {
  const timer = setTimeout(fn, ms)
  return () => clearTimeout(timer)
}

/** Ends early, without an error, when the signal aborts. */
export function sleepOnTimer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = after(ms, done)
    signal?.addEventListener('abort', done, { once: true })
  })
}
