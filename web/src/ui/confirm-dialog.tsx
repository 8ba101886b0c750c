import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  readonly isOpen: boolean
  readonly title: string
  readonly action: string
  /** Label of the button that closes the dialog without acting. */
  readonly keep?: string
  readonly children: ReactNode
  readonly onClose: () => void
  readonly onConfirm: () => void
}

export function ConfirmDialog({
  isOpen,
  title,
  action,
  keep = 'Cancel',
  children,
  onClose,
  onConfirm,
}: ConfirmDialogProps) {
  const confirm = () => {
    onConfirm()
    onClose()
  }
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} role="alertdialog" width="max-w-md">
      <p className="px-4 pt-3 text-sm text-ink-2">{children}</p>
      <div className="flex justify-end gap-2 p-4">
        <Button onPress={onClose} autoFocus>
          {keep}
        </Button>
        <Button look="danger" onPress={confirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
