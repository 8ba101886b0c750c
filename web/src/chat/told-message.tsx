import { authorOfMessage, authorWords, SUMMARY_WORDS } from 'offshoot/client'
import type { MessagePage } from 'offshoot/protocol'
import { useFold } from '../state/folds.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { MessageActions } from './message-actions.tsx'

type Message = MessagePage['messages'][number]

/** Longer runtime messages are folded. Characters. */
const SHORT = 200

/** A message of the runtime or another agent to this agent: a quiet line with its author, not editable. */
export function ToldMessage({ message, inherited }: { message: Message; inherited: boolean }) {
  const [open, setOpen] = useFold(message.id)
  const isSummary = message.parts.some((part) => part.type === 'text' && part.summaryOf !== undefined)
  const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const author = authorOfMessage(message) ?? null
  const who = isSummary ? `Runtime, ${SUMMARY_WORDS}` : authorWords(author)
  const isLong = isSummary || (typeof author !== 'object' && text.length > SHORT)
  return (
    <article aria-label={who} className="group/message relative text-sm text-ink-2">
      <button
        type="button"
        aria-expanded={!isLong || open}
        disabled={!isLong}
        onClick={() => setOpen(!open)}
        className="flex items-center gap-1 rounded px-1 py-0.5 text-xs text-ink-3 enabled:hover:bg-hover"
      >
        {who}
        {isLong && <Icon name={open ? 'down' : 'right'} size={12} />}
      </button>
      {(!isLong || open) && (
        <div className="border-l-2 border-line pl-3 wrap-anywhere whitespace-pre-wrap">{text}</div>
      )}
      <MessageActions message={message} inherited={inherited}>
        <CopyButton text={text} label="Copy message" />
      </MessageActions>
    </article>
  )
}
