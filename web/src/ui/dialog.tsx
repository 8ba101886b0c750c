import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { IconButton } from './button.tsx'

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  readonly width?: string
  /** `alertdialog`: a click outside does not close it. */
  readonly role?: 'dialog' | 'alertdialog'
}

/** Centered; on a phone, a bottom sheet. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  width = 'max-w-lg',
  role = 'dialog',
}: DialogProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={role === 'dialog'}
      className="fixed inset-0 z-40 flex items-end justify-center bg-[light-dark(#1b1b1933,#00000080)] md:items-start md:pt-[12vh]"
    >
      <Modal
        className={`flex max-h-[85dvh] w-full flex-col overflow-hidden rounded-t-2xl border border-line bg-raised shadow-float md:max-h-[72dvh] md:rounded-xl ${width}`}
      >
        <AriaDialog role={role} className="flex min-h-0 flex-1 flex-col outline-none">
          <header className="flex items-center justify-between gap-3 border-b border-line py-2.5 pr-2 pl-4">
            <Heading slot="title" className="text-sm font-semibold">
              {title}
            </Heading>
            <IconButton icon="x" label="Close" onPress={onClose} />
          </header>
          <div className="scrolls min-h-0 flex-1 overflow-y-auto">{children}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
