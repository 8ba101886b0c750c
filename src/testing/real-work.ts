import { setTimeout as wait } from 'node:timers/promises'

/** Work without progress for this long is no longer waited for. */
const MAX_STILL_MS = 2_000
/** Ignored: timers, which the waiting itself sets, and the terminal. */
const IGNORED = new Set(['Timeout', 'Immediate', 'TickObject', 'TTYWrap', 'SignalWrap'])

/** How many resources of each kind keep the process alive. */
type Resources = ReadonlyMap<string, number>

/** Detects whether this process waits for the disk, a child process or the network. */
export interface RealWork {
  /**
   * Resolves once no such work is left, or the rest has made no progress for two seconds. Resolves to false if there
   * was none.
   */
  finished(): Promise<boolean>
}

/** Bun and Deno do not list what keeps a process alive. */
const IS_LISTED = process.versions['bun'] === undefined && process.versions['deno'] === undefined
/** Fallback delay: most file reads and programs finish in this time. */
const UNLISTED_MS = 50

/** Resources that are already open belong to the test runner and are ignored. */
export function watchRealWork(): RealWork {
  const background = new Map(activeResources())
  const leaveBehind = (resources: Resources) => {
    for (const [kind, count] of resources) background.set(kind, Math.max(count, background.get(kind) ?? 0))
  }
  const isUnderWay = (resources: Resources) =>
    [...resources].some(([kind, count]) => count > (background.get(kind) ?? 0))
  return {
    async finished() {
      if (!IS_LISTED) await wait(UNLISTED_MS)
      let seen: string | undefined
      let changedAt = performance.now()
      for (let now = activeResources(); isUnderWay(now); now = activeResources()) {
        const before = seen
        seen = [...now].join(' ')
        if (seen !== before) changedAt = performance.now()
        else if (performance.now() - changedAt > MAX_STILL_MS) leaveBehind(now)
        await wait(1)
      }
      return seen !== undefined
    },
  }
}

function activeResources(): Resources {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo())
    if (!IGNORED.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}
