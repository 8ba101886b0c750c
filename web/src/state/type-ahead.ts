/** Text typed before its input field is ready. */
export interface TypeAhead {
  /** Stops collecting and returns the text. */
  take(): string
}

/**
 * Collects everything typed from now on, wherever the focus is: no shortcut fires and no field receives it. Ends when
 * the text is taken.
 */
export function catchTyping(onEscape: () => void, target: EventTarget = globalThis): TypeAhead {
  let text = ''
  const onKey = (event: Event) => {
    // AltGr reports Ctrl and Alt
    if (!isKeyDown(event) || event.isComposing || event.metaKey || (event.ctrlKey && !event.altKey)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (event.key === 'Escape') onEscape()
    else text = typed(text, event.key)
  }
  target.addEventListener('keydown', onKey, { capture: true })
  return {
    take() {
      target.removeEventListener('keydown', onKey, { capture: true })
      const all = text
      text = ''
      return all
    },
  }
}

/** The text after a key press. Keys that produce no character leave it unchanged. */
function typed(text: string, key: string): string {
  if (key === 'Backspace') return [...text].slice(0, -1).join('')
  return [...key].length === 1 ? text + key : text
}

type KeyDown = Event &
  Pick<
    KeyboardEvent,
    'key' | 'isComposing' | 'altKey' | 'ctrlKey' | 'metaKey' | 'preventDefault' | 'stopImmediatePropagation'
  >

function isKeyDown(event: Event): event is KeyDown {
  return 'key' in event
}
