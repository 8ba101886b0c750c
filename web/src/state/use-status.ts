import { statusOf, type StatusLine } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useMemo } from 'react'
import { useView } from './conversation.tsx'

/** The status line of a run's branch. Compared as text, so that a row is redrawn only when it changes. */
export function useStatus(run: RunRow): StatusLine {
  const text = useView((state) => JSON.stringify(statusOf(state, run)))
  return useMemo(() => JSON.parse(text) as StatusLine, [text])
}
