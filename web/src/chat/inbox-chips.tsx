import { authorWords, reportLine } from 'offshoot/client'
import type { InboxItem } from 'offshoot/protocol'
import { useState } from 'react'
import { useVerbs } from '../state/verbs.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** The inbox of this branch in reading order. */
export function InboxChips({ items }: { items: readonly InboxItem[] }) {
  if (items.length === 0) return null
  return (
    <section aria-label="Inbox" className="flex flex-col gap-1 pb-2">
      <h2 className="flex items-center gap-1.5 px-1 text-xs text-ink-2">
        <Icon name="queued" size={12} />
        {`${items.length} queued`}
      </h2>
      <ul className="flex flex-col gap-1">
        {items.map((item) => (
          <InboxChip key={item.id} item={item} />
        ))}
      </ul>
    </section>
  )
}

function InboxChip({ item }: { item: InboxItem }) {
  const verbs = useVerbs()
  const [editing, setEditing] = useState(false)
  if (editing) return <EditChip item={item} onDone={() => setEditing(false)} />
  const isMine = item.kind === 'user' && (item.author === null || item.author === 'person')
  const text = item.report ? reportLine(item.report, item.text) : item.text
  return (
    <li className="flex items-center gap-1 rounded-lg border border-line bg-panel py-0.5 pr-1 pl-3 text-sm">
      <span dir="auto" className="min-w-0 flex-1 truncate" title={text}>
        {!isMine && !item.report && <span className="text-ink-3">{`${writerOf(item)}: `}</span>}
        {text}
      </span>
      {item.mode === 'steer' && <span className="text-xs text-running">next turn</span>}
      {isMine && <IconButton icon="edit" label="Edit" onPress={() => setEditing(true)} />}
      {isMine && item.mode !== 'steer' && (
        <IconButton
          icon="arrow-up"
          label="Steer: read at the next turn"
          onPress={() => verbs.steerItem(item)}
        />
      )}
      <IconButton icon="x" label="Withdraw" onPress={() => verbs.withdraw(item)} />
    </li>
  )
}

function writerOf({ author, kind }: InboxItem): string {
  return kind === 'user' ? authorWords(author) : 'Note'
}

function EditChip({ item, onDone }: { item: InboxItem; onDone: () => void }) {
  const verbs = useVerbs()
  const [text, setText] = useState(item.text)
  const save = () => {
    if (text.trim() && text !== item.text) verbs.editItem(item, text)
    onDone()
  }
  return (
    <li>
      <form
        className="flex gap-1.5"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <input
          // Focused because Edit was pressed.
          ref={(element) => element?.focus()}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && onDone()}
          aria-label="Queued message"
          className="h-8 min-w-0 flex-1 rounded-lg border border-line-strong bg-raised px-3 text-sm"
        />
        <Button type="submit">Save</Button>
        <Button look="quiet" onPress={onDone}>
          Cancel
        </Button>
      </form>
    </li>
  )
}
