import type { MessagePage } from 'offshoot/protocol'
import { memo, useState } from 'react'
import { branchPath, navigate } from '../state/route.ts'
import { useVerbs } from '../state/verbs.ts'
import { useConversationId } from '../state/conversation.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { showError } from '../ui/toasts.tsx'
import { MessageActions } from './message-actions.tsx'

type Message = MessagePage['messages'][number]

/** A person's message. Editing creates a fork before it: nothing is overwritten. */
export const UserMessage = memo(({ message, inherited }: { message: Message; inherited: boolean }) => {
  const [editing, setEditing] = useState(false)
  const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  if (editing) return <EditMessage message={message} text={text} onDone={() => setEditing(false)} />
  return (
    <article
      aria-label="You"
      className="group/message relative flex flex-col items-end"
      data-user-message={message.id}
    >
      <div
        dir="auto"
        className="max-w-[85%] rounded-2xl rounded-br-md bg-[light-dark(#ededea,#25272b)] px-3.5 py-2 text-base wrap-anywhere whitespace-pre-wrap"
      >
        {text}
      </div>
      <MessageActions message={message} inherited={inherited}>
        <IconButton icon="edit" label="Edit in a new version" onPress={() => setEditing(true)} data-edit="" />
        <CopyButton text={text} label="Copy message" />
      </MessageActions>
    </article>
  )
})

function EditMessage({ message, text, onDone }: { message: Message; text: string; onDone: () => void }) {
  const verbs = useVerbs()
  const conversationId = useConversationId()
  const [next, setNext] = useState(text)
  const save = async () => {
    const { branchId } = await verbs.edit(message.id, next)
    onDone()
    navigate(branchPath(conversationId, branchId))
  }
  return (
    <form
      className="rounded-2xl border border-line-strong bg-raised p-2"
      onSubmit={(event) => {
        event.preventDefault()
        save().catch(showError)
      }}
    >
      <textarea
        // Focused because Edit was pressed.
        ref={(element) => element?.focus()}
        dir="auto"
        value={next}
        rows={Math.min(12, next.split('\n').length + 1)}
        onChange={(event) => setNext(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
        aria-label="Edited message"
        className="block w-full resize-none bg-transparent px-1.5 text-base outline-none"
      />
      <div className="flex items-center justify-end gap-1.5">
        <p className="flex-1 px-1.5 text-xs text-ink-3">Saves a new version; this one is kept.</p>
        <Button look="quiet" onPress={onDone}>
          Cancel
        </Button>
        <Button type="submit" look="primary" isDisabled={!next.trim()}>
          Send
        </Button>
      </div>
    </form>
  )
}
