import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useConnection } from './conversation.tsx'
import { navigate } from './route.ts'

/** What is shown is behind, or has come to its end. */
export function ConnectionBanner() {
  const { connection } = useConnection()
  if (connection.status === 'live' || connection.status === 'connecting') return null
  const ended = connection.status === 'ended'
  const error = 'error' in connection ? connection.error : null
  const words = error instanceof Error ? error.message : 'this conversation was deleted'
  return (
    <div
      role="alert"
      data-print="no"
      className="flex items-center gap-2 border-b border-needs-line bg-needs-soft px-4 py-1.5 text-sm"
    >
      <Icon name={ended ? 'x' : 'refresh'} size={14} className="text-needs" />
      <span className="min-w-0 flex-1">
        {ended
          ? words
          : 'The connection to the server is lost. This page goes on by itself as soon as it is back.'}
      </span>
      {ended && <Button onPress={() => navigate('/')}>All conversations</Button>}
    </div>
  )
}
