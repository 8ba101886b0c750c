import { chatCommands } from 'offshoot/client'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { shownKeys } from '../state/keymap.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { showError } from '../ui/toasts.tsx'

interface ComposerProps {
  /** Placeholder: `Message…`, or its recipient. */
  readonly placeholder: string
  /** Whether a run is active: shows Stop and allows steering. */
  readonly live: boolean
  /** Kept while another branch is in view. */
  readonly draftKey: string
  /** On a page for writing: focused at once, unless that opens a keyboard. */
  readonly focused?: boolean
  /** If it fails, the text comes back. */
  readonly onSend: (text: string, mode: 'steer' | 'follow_up') => Promise<void>
  readonly onInterrupt: () => void
  /** Whether a line that starts with `/` can be a command. */
  readonly hasCommands?: boolean
  /** Withdraws the last sent message if it is unread. */
  readonly onTakeBack?: () => Promise<string | undefined>
}

const drafts = new Map<string, string>()

export function Composer({
  placeholder,
  live,
  draftKey,
  focused = false,
  onSend,
  onInterrupt,
  hasCommands = false,
  onTakeBack,
}: ComposerProps) {
  const [text, change] = useDraft(draftKey)
  const [sending, setSending] = useState('')
  const field = useField(text, focused)
  /** Text written in the meantime stays. */
  const comeBack = (before: string) => {
    change([before, drafts.get(draftKey)].filter(Boolean).join('\n'))
    field.current?.focus()
  }
  const send = (mode: 'steer' | 'follow_up') => {
    if (!text.trim()) return
    change('')
    setSending(text)
    onSend(text, mode)
      .catch((error: unknown) => {
        showError(error)
        comeBack(text)
      })
      .finally(() => setSending(''))
  }
  const takeBack = () => void onTakeBack?.().then((last) => last && comeBack(last), showError)
  return (
    <form
      aria-label="Message"
      className="rounded-xl border border-line-strong bg-raised shadow-[0_1px_2px_#0000000a] focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault()
        send('follow_up')
      }}
    >
      <textarea
        ref={field}
        id="composer"
        data-opener="composer"
        dir="auto"
        value={text}
        rows={1}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowUp' && text === '' && !event.altKey) return takeBack()
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          send(event.metaKey || event.ctrlKey ? 'steer' : 'follow_up')
        }}
        aria-label={placeholder}
        placeholder={placeholder}
        className="block max-h-56 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-base leading-6 placeholder:text-ink-3 focus:outline-none"
      />
      <div className="flex items-center gap-2 pr-1.5 pb-1.5 pl-3.5">
        <p className="min-w-0 flex-1 truncate text-xs text-ink-3">
          {sending ? (
            <span role="status">{`Sending: ${sending}`}</span>
          ) : (
            <Hint text={text} live={live} hasCommands={hasCommands} />
          )}
        </p>
        <Actions live={live} isEmpty={!text.trim()} onInterrupt={onInterrupt} onSteer={() => send('steer')} />
      </div>
    </form>
  )
}

function Hint({ text, live, hasCommands }: { text: string; live: boolean; hasCommands: boolean }) {
  return (
    <span className={text.startsWith('/') ? '' : 'hidden sm:inline'}>
      {(hasCommands && commandHint(text)) || keysHint(live, hasCommands)}
    </span>
  )
}

interface ActionsProps {
  readonly live: boolean
  readonly isEmpty: boolean
  readonly onInterrupt: () => void
  readonly onSteer: () => void
}

function Actions({ live, isEmpty, onInterrupt, onSteer }: ActionsProps) {
  return (
    <>
      {live && (
        <Button icon="stop" onPress={onInterrupt}>
          Stop
        </Button>
      )}
      {live && (
        <Button look="quiet" isDisabled={isEmpty} onPress={onSteer}>
          Steer
        </Button>
      )}
      <IconButton
        type="submit"
        icon="arrow-up"
        label={live ? 'Queue message' : 'Send message'}
        isDisabled={isEmpty}
        className="bg-accent! text-on-accent! hover:brightness-110"
      />
    </>
  )
}

/** The draft of a branch, kept while another one is shown. */
function useDraft(key: string): [text: string, change: (next: string) => void] {
  const [text, setText] = useState(() => drafts.get(key) ?? '')
  const change = (next: string) => {
    drafts.set(key, next)
    setText(next)
  }
  return [text, change]
}

/** Completions of the current command. */
function commandHint(text: string): string {
  const word = text.split(' ')[0] ?? ''
  return word.startsWith('/') ? chatCommands.filter((each) => each.startsWith(word)).join(' · ') : ''
}

function keysHint(live: boolean, hasCommands: boolean): string {
  const keys = live
    ? `Enter queues · ${shownKeys('Mod+')}Enter steers the run`
    : 'Enter sends · Shift Enter for a new line'
  return hasCommands ? `${keys} · / for commands` : keys
}

/** The field grows with its text; it gets the focus unless that opens a keyboard. */
function useField(text: string, focused: boolean): React.RefObject<HTMLTextAreaElement | null> {
  const field = useRef<HTMLTextAreaElement>(null)
  useGrowing(field, text)
  useEffect(() => {
    if (focused && matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [focused])
  return field
}

/** As high as its text, within the limits of its class. */
function useGrowing(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [field, text])
}
