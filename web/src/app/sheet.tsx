import type { ReactNode } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { IconButton } from '../ui/button.tsx'

interface SheetProps {
  readonly title: string
  readonly side: 'left' | 'right'
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A column over the page if there is no room beside it; on a phone, the right one slides up. */
export function Sheet({ title, side, isOpen, onClose, children }: SheetProps) {
  const place =
    side === 'left'
      ? 'inset-y-0 left-0 w-[min(20rem,88vw)] border-r'
      : 'inset-x-0 bottom-0 h-[82dvh] rounded-t-2xl border-t md:inset-y-0 md:right-0 md:left-auto md:h-auto md:w-[26rem] md:rounded-none md:border-t-0 md:border-l'
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
      className="fixed inset-0 z-20 bg-[light-dark(#1b1b1933,#00000080)]"
    >
      <Modal className={`absolute overflow-hidden border-line bg-panel shadow-float ${place}`}>
        <Dialog aria-label={title} className="relative flex h-full flex-col outline-none">
          <div className="flex justify-end px-1 pt-1">
            <IconButton icon="x" label="Close" onPress={onClose} />
          </div>
          <div className="min-h-0 flex-1" data-sheet={side}>
            {children}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
