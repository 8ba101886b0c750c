import { agoWords } from 'offshoot/client'
import { useView } from '../state/conversation.tsx'
import { thisWindow } from '../state/this-window.ts'
import { useNow } from '../ui/use-now.ts'
import { Icon } from '../ui/icon.tsx'

/** How long the notice stays, milliseconds. */
const SHOWN_MS = 15_000

/** An ask that was open here a moment ago was answered elsewhere: by whom, and how. */
export function AnsweredElsewhere() {
  const last = useView((state) => state.answered.at(-1))
  const now = useNow(last !== undefined)
  if (!last || last.by === thisWindow || now - last.at > SHOWN_MS) return null
  return (
    <p className="mb-2 flex items-center gap-2 px-1 text-xs text-ink-2">
      <Icon name="check" size={12} />
      {`Answered by ${last.by} ${agoWords(last.at, now)}: ${last.answer ?? 'closed'}`}
    </p>
  )
}
