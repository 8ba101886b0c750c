import type { ApprovalRow } from 'offshoot/protocol'
import { useState } from 'react'
import { useVerbs } from '../state/verbs.ts'
import { Button } from '../ui/button.tsx'

export function DenyForm({ approval }: { approval: ApprovalRow }) {
  const verbs = useVerbs()
  const [note, setNote] = useState('')
  return (
    <form
      className="mt-2.5 flex flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        verbs.approve(approval, { answer: 'deny', ...(note.trim() ? { note: note.trim() } : {}) })
      }}
    >
      <input
        value={note}
        onChange={(event) => setNote(event.target.value)}
        aria-label="Reason, for the agent"
        placeholder="Reason, or what to do instead"
        className="h-7 min-w-40 flex-1 rounded border border-line-strong bg-ground px-2 text-sm"
      />
      <Button type="submit" look="danger">
        Deny with this note
      </Button>
    </form>
  )
}
