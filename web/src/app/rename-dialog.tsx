import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

interface RenameDialogProps {
  readonly title: string
  readonly onRename: (title: string) => void
  readonly onClose: () => void
}

export function RenameDialog({ title, onRename, onClose }: RenameDialogProps) {
  const [text, setText] = useState(title)
  return (
    <Dialog title="Rename" isOpen onClose={onClose} width="max-w-md">
      <form
        className="flex gap-2 p-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim()) onRename(text.trim())
        }}
      >
        <input
          // The dialog was opened for it.
          ref={(element) => element?.focus()}
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-label="Title"
          className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-ground px-2.5 text-sm"
        />
        <Button type="submit" look="primary" className="h-8" isDisabled={!text.trim()}>
          Rename
        </Button>
      </form>
    </Dialog>
  )
}
