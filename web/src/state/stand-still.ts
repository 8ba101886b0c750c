import { useEffect } from 'react'
import { useConnection, useIsDriven } from './conversation.tsx'

/** Stops all animations while disconnected, and those of a conversation that no process drives. */
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
