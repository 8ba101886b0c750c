import { ClientError } from 'offshoot/client'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useConnection } from '../state/conversation.tsx'
import { navigate } from '../state/route.ts'

/** The page is out of date, or its conversation is gone. */
export function ConnectionBanner() {
  const { connection } = useConnection()
  if (connection.status === 'live' || connection.status === 'connecting') return null
  const ended = connection.status === 'ended'
  return (
    <div
      role="alert"
      data-print="no"
      className="flex items-center gap-2 border-b border-needs-line bg-needs-soft px-4 py-1.5 text-sm"
    >
      <Icon name={ended ? 'x' : 'refresh'} size={14} className="text-needs" />
      <span className="min-w-0 flex-1 wrap-anywhere">
        {ended
          ? endWords(connection.error)
          : 'Connection to the server lost. This page reconnects automatically.'}
      </span>
      {ended && <Button onPress={() => navigate('/')}>All conversations</Button>}
    </div>
  )
}

function endWords(error: unknown): string {
  const isGone = error instanceof ClientError && error.status === 404
  if (isGone || !(error instanceof Error)) return 'This conversation does not exist or was deleted.'
  return error.message
}
