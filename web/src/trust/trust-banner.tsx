import { useCallback, useState } from 'react'
import { useClient } from '../state/client.ts'
import { useAnswer } from '../state/use-answer.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { TrustDialog } from './trust-dialog.tsx'

/** How often it is looked whether the files have changed. */
const LOOK_MS = 30_000

/** While the files of a folder ask for something that the person has not granted. Without a folder: the server's. */
export function TrustBanner({ directory }: { directory?: string | undefined }) {
  const client = useClient()
  const [isOpen, setOpen] = useState(false)
  const [putOff, setPutOff] = useState<string>()
  const ask = useCallback(
    () => client.getTrust(directory === undefined ? {} : { directory }),
    [client, directory],
  )
  const { value: trust, again } = useAnswer(ask, LOOK_MS)
  if (!trust || trust.trusted || trust.digest === putOff) return null
  const count = trust.requests.filter(({ granted }) => !granted).length
  return (
    <div
      role="status"
      data-print="no"
      className="flex items-center gap-2 border-b border-needs-line bg-needs-soft px-4 py-1.5 text-sm"
    >
      <Icon name="flag" size={14} className="text-needs" />
      <span className="min-w-0 flex-1 wrap-anywhere">
        {`Files in this folder ask for ${count === 1 ? '1 change' : `${count} changes`} that you have not granted. ${count === 1 ? 'It has' : 'They have'} no effect until you do.`}
      </span>
      <Button onPress={() => setOpen(true)}>Review</Button>
      <TrustDialog
        trust={trust}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onNotNow={() => setPutOff(trust.digest)}
        onChanged={again}
      />
    </div>
  )
}
