import type { BranchView } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useEffect } from 'react'
import { readPref, usePref, writePref } from '../state/prefs.ts'

/** Number of remembered branches; the oldest are forgotten. */
const MOST = 1000

/** Whether a run has stopped on a branch since the last visit on this device, if that is remembered. */
export function useUnread(): (branch: BranchView, run: RunRow | null) => boolean {
  const [seen] = usePref('seen')
  return ({ id, conversationId }, run) => {
    const since = seen[id] ?? seen[conversationId] ?? Infinity
    return run !== null && run.endedAt !== null && run.endedAt > since
  }
}

/**
 * Marks a branch as visited, including later events while it is in view. On the first call, the whole conversation
 * counts as visited.
 */
export function useSeen({ id, conversationId }: BranchView, run: RunRow | null): void {
  const endedAt = run?.endedAt
  useEffect(() => {
    const see = () => {
      const now = Date.now()
      const { [id]: _, ...others } = readPref('seen')
      const all = Object.entries({ [conversationId]: now, ...others, [id]: now })
      writePref('seen', Object.fromEntries(all.slice(-MOST)))
    }
    see()
    return see
  }, [id, conversationId, endedAt])
}
