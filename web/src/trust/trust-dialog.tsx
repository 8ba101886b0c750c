import type { Client } from 'offshoot/client'
import { useState } from 'react'
import { useClient } from '../state/client.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { showError } from '../ui/toasts.tsx'

type Trust = Awaited<ReturnType<Client['getTrust']>>

interface TrustDialogProps {
  readonly trust: Trust
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onNotNow: () => void
  /** The files may ask for something else by now. */
  readonly onChanged: () => void
}

const MANY = 10

function kindsText(requests: Trust['requests']): string {
  const kinds = [...new Set(requests.map(({ kind }) => kind))]
  const counted = kinds.map((kind) => {
    const { length } = requests.filter((each) => each.kind === kind)
    return `${length} ${kind}${length === 1 ? '' : 's'}`
  })
  return `${requests.length} changes: ${counted.join(', ')}`
}

/** What is asked for, file by file, as text. A yes is for exactly what stands here: the server compares the digest. */
export function TrustDialog({ trust, isOpen, onClose, onNotNow, onChanged }: TrustDialogProps) {
  const client = useClient()
  const [busy, setBusy] = useState(false)
  const { directory, digest } = trust
  const held = trust.requests.filter(({ granted }) => !granted)
  const give = async () => {
    setBusy(true)
    try {
      await client.giveTrust({ directory, digest })
      onClose()
    } catch (error) {
      showError(error)
    } finally {
      setBusy(false)
      onChanged()
    }
  }
  const notNow = () => {
    onNotNow()
    onClose()
  }
  return (
    <Dialog title="Do you trust these files?" isOpen={isOpen} onClose={onClose} role="alertdialog">
      <div className="px-4 pt-3 text-sm">
        <p className="text-ink-2">
          Files in <code className="wrap-anywhere text-xs">{directory}</code> ask for changes that only you
          can grant. Their restrictions already apply.
        </p>
        {trust.problem !== null && <p className="mt-2 text-needs">{trust.problem}</p>}
        {held.length > MANY && <p className="mt-2">{kindsText(held)}</p>}
        <ul className="mt-3 flex flex-col gap-2" aria-label="Requests of the files">
          {held.map(({ file, text }, index) => (
            <li key={index} className="rounded-lg border border-line px-3 py-2">
              <div className="wrap-anywhere">{text}</div>
              <div className="mt-0.5 font-mono text-xs wrap-anywhere text-ink-3">{file}</div>
            </li>
          ))}
        </ul>
      </div>
      <div className="flex justify-end gap-2 p-4">
        <Button onPress={notNow} autoFocus>
          Not now
        </Button>
        <Button look="danger" isDisabled={busy} onPress={() => void give()}>
          Trust
        </Button>
      </div>
    </Dialog>
  )
}
