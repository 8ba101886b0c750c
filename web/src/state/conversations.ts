import { useCallback, useEffect } from 'react'
import { useClient } from './client.ts'
import { useAnswer } from './use-answer.ts'

/** Maximum age of the list. Milliseconds. */
const EVERY_MS = 5000

const listeners = new Set<() => void>()

/** The conversations of the store, last used first. */
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

/** Reloads after a change on this page. */
export function reloadConversations(): void {
  for (const listener of listeners) listener()
}
