import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'

/** Nothing takes so long without an event, unless something is waited for in vain. */
const STILL_MS = 60_000
const LONGEST_MS = 600_000
const LOOK_MS = 500

/**
 * Resolves when no event has come to the store for a minute. A program with many subagents, approvals and sandboxes takes
 * longer than that on a busy machine, and goes on all the time.
 */
export async function untilStandsStill(database: string, signal?: AbortSignal): Promise<void> {
  const begunAt = Date.now()
  let [seen, movedAt] = [eventsIn(database), begunAt]
  while (Date.now() - movedAt < STILL_MS && Date.now() - begunAt < LONGEST_MS) {
    await setTimeout(LOOK_MS, undefined, { ref: false, ...(signal && { signal }) })
    const now = eventsIn(database)
    if (now !== seen) [seen, movedAt] = [now, Date.now()]
  }
}

function eventsIn(database: string): number {
  if (!existsSync(database)) return 0
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5_000 })
  try {
    return Number(db.prepare('SELECT count(*) AS many FROM events').get()!['many'])
  } catch {
    return 0 // it is being made
  } finally {
    db.close()
  }
}
