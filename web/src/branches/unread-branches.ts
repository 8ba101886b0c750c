import type { BranchView } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useEffect } from 'react'
import { readPref, usePref, writePref } from '../state/prefs.ts'

/** So many are remembered; the oldest are forgotten. */
const MOST = 1000

/** Whether something has stopped on a branch since it was last looked at on this device. Only as long as it is remembered. */
export function useUnread(): (branch: BranchView, run: RunRow | null) => boolean {
  const [seen] = usePref('seen')
  return ({ id, conversationId }, run) => {
    const since = seen[id] ?? seen[conversationId] ?? Infinity
    return run !== null && run.endedAt !== null && run.endedAt > since
  }
}

/** A branch is looked at now; what happens on it meanwhile is seen too. The first time, the conversation as it is counts as seen. */
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
