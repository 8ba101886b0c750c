import { sleep, type Clock } from '../../core/clock.ts'
import { bounds } from '../../core/limits.ts'
import { keepAlive } from '../../exec/keep-alive.ts'
import type { Store } from '../../store/port.ts'

/**
 * Calls `onChange` when another process has written, at most every 50 ms, and once at the start for earlier writes. If
 * the callback throws because the store is unreadable, it runs again at the next poll. The returned function stops it.
 */
export function watchStore(
  store: Pick<Store, 'dataVersion'>,
  clock: Clock,
  onChange: () => void,
): () => void {
  let seen: number | undefined
  let cancel = clock.after(0, look)
  return () => cancel()

  function look(): void {
    cancel = clock.after(bounds.watchMs, look)
    const version = versionOf(store)
    if (version === undefined || version === seen) return
    try {
      onChange()
      seen = version
    } catch {
      seen = undefined
    }
  }
}

/** Settles when another process has written since the version `seen`, or after a time. Keeps the process alive. */
export async function untilChange(
  store: Pick<Store, 'dataVersion'>,
  clock: Clock,
  seen: number,
  atMostMs: number,
): Promise<void> {
  const end = clock.now() + atMostMs
  while (clock.now() < end && (versionOf(store) ?? seen) === seen)
    await keepAlive(sleep(clock, bounds.watchMs))
}

/** Undefined if the store cannot tell now; the next poll may succeed. */
function versionOf(store: Pick<Store, 'dataVersion'>): number | undefined {
  try {
    return store.dataVersion()
  } catch {
    return undefined
  }
}
