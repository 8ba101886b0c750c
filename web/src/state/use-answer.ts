import { useCallback, useEffect, useState } from 'react'

export interface ServerAnswer<T> {
  readonly value: T | undefined
  readonly error: Error | undefined
  readonly again: () => void
}

/** The response to a request; `again` repeats it, `everyMs` repeats it periodically. */
export function useAnswer<T>(ask: () => Promise<T>, everyMs?: number): ServerAnswer<T> {
  const [answer, setAnswer] = useState<{ value?: T; error?: Error }>({})
  const [round, setRound] = useState(0)
  const again = useCallback(() => setRound((last) => last + 1), [])
  useEffect(() => {
    let stale = false
    const take = (next: { value?: T; error?: Error }) => {
      if (!stale) setAnswer((last) => ({ ...(next.error ? last : {}), ...next }))
    }
    ask().then(
      (value) => take({ value }),
      (error: unknown) => take({ error: error instanceof Error ? error : new Error(String(error)) }),
    )
    const timer = everyMs === undefined ? undefined : setTimeout(again, everyMs)
    return () => {
      stale = true
      clearTimeout(timer)
    }
  }, [ask, everyMs, again, round])
  return { value: answer.value, error: answer.error, again }
}
