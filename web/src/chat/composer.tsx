import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { shownKeys } from '../app/keymap.ts'
import { Button, IconButton } from '../ui/button.tsx'

interface ComposerProps {
  /** `Message…`, or whom it goes to. */
  readonly placeholder: string
  /** Whether something runs here: then there is a Stop, and a text can steer. */
  readonly live: boolean
  /** Kept while another branch is looked at. */
  readonly draftKey: string
  /** Of a page that is there to write on: it has the focus at once, where that brings up no keyboard. */
  readonly focused?: boolean
  readonly onSend: (text: string, mode: 'steer' | 'follow_up') => void
  readonly onInterrupt: () => void
}

const drafts = new Map<string, string>()

export function Composer({
  placeholder,
  live,
  draftKey,
  focused = false,
  onSend,
  onInterrupt,
}: ComposerProps) {
  const [text, setText] = useState(() => drafts.get(draftKey) ?? '')
  const field = useRef<HTMLTextAreaElement>(null)
  useGrowing(field, text)
  useEffect(() => {
    if (focused && matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [focused])
  const change = (next: string) => {
    drafts.set(draftKey, next)
    setText(next)
  }
  const send = (mode: 'steer' | 'follow_up') => {
    if (!text.trim()) return
    onSend(text, mode)
    change('')
  }
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
        value={text}
        rows={1}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
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
          <span className="hidden sm:inline">
            {live
              ? `Enter queues · ${shownKeys('Mod+')}Enter steers the run`
              : 'Enter sends · Shift Enter for a new line'}
          </span>
        </p>
        {live && (
          <Button icon="stop" onPress={onInterrupt}>
            Stop
          </Button>
        )}
        {live && (
          <Button look="quiet" isDisabled={!text.trim()} onPress={() => send('steer')}>
            Steer
          </Button>
        )}
        <IconButton
          type="submit"
          icon="arrow-up"
          label={live ? 'Queue message' : 'Send message'}
          isDisabled={!text.trim()}
          className="bg-accent! text-on-accent! hover:brightness-110"
        />
      </div>
    </form>
  )
}

/** As high as its text, up to what the class allows. */
function useGrowing(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [field, text])
}
