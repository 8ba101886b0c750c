import { useEffect } from 'react'
import { useConnection, useIsDriven } from './conversation.tsx'

/** Nothing turns on the page while nobody knows whether it goes on, and nothing of a conversation that nobody drives. */
export function useStandStill(): void {
  const { connection } = useConnection()
  const isDriven = useIsDriven()
  const isLost = connection.status === 'lost' || connection.status === 'ended'
  const what = isLost ? 'page' : isDriven ? null : 'conversation'
  useEffect(() => {
    if (what === null) return
    const { dataset } = document.documentElement
    dataset['still'] = what
    return () => void delete dataset['still']
  }, [what])
}
