import { useState } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

interface TextLinesProps {
  readonly text: string
  readonly label: string
  readonly lines?: number
}

/** More text would block the page. Characters. */
const MOST = 200_000

/** Raw tool output: the first lines, or everything on request. */
export function TextLines({ text, label, lines = 20 }: TextLinesProps) {
  const [open, setOpen] = useState(false)
  const cut = cutAfter(text, open ? Infinity : lines)
  const rest = text.length - cut.length
  return (
    <div className="group relative overflow-hidden rounded-md border border-line bg-panel">
      <CopyButton
        text={text}
        label={`Copy ${label.toLowerCase()}`}
        className="touch:-top-1 absolute top-0.5 right-1"
      />
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="scrolls max-h-[60vh] overflow-auto px-3 py-2 font-mono text-xs leading-[1.15rem]"
      >
        {cut}
      </pre>
      {(rest > 0 || open) && (
        <div className="flex items-center gap-2 border-t border-line px-1 py-0.5 text-xs text-ink-3">
          <Button look="quiet" className="text-xs" onPress={() => setOpen(!open)}>
            {open ? 'Show less' : 'Show full text'}
          </Button>
          {open && rest > 0 && (
            <span>{`First ${MOST.toLocaleString()} characters shown; Copy copies everything`}</span>
          )}
        </div>
      )}
    </div>
  )
}

/** Takes the first lines without scanning the rest of a long text. */
function cutAfter(text: string, lines: number): string {
  let at = -1
  for (let line = 0; line < lines; line++) {
    const next = text.indexOf('\n', at + 1)
    if (next < 0) return text.slice(0, MOST)
    at = next
    if (at > MOST) return text.slice(0, MOST)
  }
  return text.slice(0, at)
}
