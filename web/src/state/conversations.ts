import { useCallback, useEffect } from 'react'
import { useClient } from './client.ts'
import { useAnswer } from './use-answer.ts'

/** How old the list may be. Milliseconds. */
const EVERY_MS = 5000

const listeners = new Set<() => void>()

/** The conversations of the store, the last used first. */
export function useConversations() {
  const client = useClient()
  const asked = useAnswer(
    useCallback(() => client.listConversations(), [client]),
    EVERY_MS,
  )
  const { again } = asked
  useEffect(() => {
    listeners.add(again)
    return () => {
      listeners.delete(again)
    }
  }, [again])
  return asked
}

/** Something about them has changed here. */
export function reloadConversations(): void {
  for (const listener of listeners) listener()
}
