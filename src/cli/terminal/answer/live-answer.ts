import { styleText } from 'node:util'
import type { OffshootEvent } from '../../../core/events.ts'
import type { BranchId, MessageId, PartId } from '../../../core/ids.ts'
import { cleanText, writeRaw, type Io } from '../../io.ts'
import { mayColour } from '../progress/progress.ts'
import { GrowingMarkdown } from './growing-markdown.ts'
import type { MarkdownStyle } from './markdown-lines.ts'

/** What an agent writes on a branch, as Markdown on a terminal while it is written. */
export interface LiveAnswer {
  notify(events: readonly OffshootEvent[]): void
  /** Keeps what comes until the returned function is called: a question is on the screen. */
  pause(): () => void
  /** Prints what is missing of the answer: all of it, if it is not the last text that was shown. */
  end(answer: string): Promise<void>
}

/** Longer lines are harder to read. */
const MAX_COLUMNS = 100

interface OpenMessage {
  readonly id: MessageId
  readonly markdown: GrowingMarkdown
  /** Characters that are known of each part. */
  readonly known: Map<PartId, number>
  text: string
}

/** `above`: takes the picture of the progress away while it writes. */
export function createLiveAnswer(branchId: BranchId, io: Io, above: (write: () => void) => void): LiveAnswer {
  const answers = new Set<MessageId>()
  let open: OpenMessage | undefined
  let last = ''
  let waiting = ''
  let paused = 0
  const flush = () => {
    if (paused > 0 || waiting === '') return
    const text = waiting
    waiting = ''
    above(() => void io.stdout.write(text))
  }
  const push = (
    id: MessageId,
    part: PartId,
    { offset, text }: { offset?: number | undefined; text: string },
  ) => {
    if (open?.id !== id) {
      endMessage()
      open = { id, markdown: new GrowingMarkdown(), known: new Map(), text: '' }
    }
    const known = open.known.get(part) ?? 0
    const from = offset ?? known
    if (from > known) return // pieces were lost; the whole part follows
    const more = cleanText(io, text.slice(known - from))
    open.known.set(part, Math.max(known, from + text.length))
    open.text += more
    waiting += open.markdown.push(more, styleOf(io))
  }
  const endMessage = () => {
    if (open === undefined) return
    const rest = open.markdown.end(styleOf(io))
    if (open.text.trim() !== '') last = open.text
    waiting += rest === '' && open.text.trim() === '' ? '' : `${rest}\n`
    open = undefined
  }
  const receive = (event: OffshootEvent) => {
    if (event.branchId !== branchId) return
    if (event.type === 'message.appended' && event.role === 'assistant') answers.add(event.messageId)
    if (event.type === 'part.delta' && event.kind === 'text') push(event.messageId, event.partId, event)
    if (event.type === 'part.completed' && event.kind === 'text' && answers.has(event.messageId)) {
      const { text } = event.part
      if (typeof text === 'string') push(event.messageId, event.partId, { offset: 0, text })
    }
    if (event.type === 'message.completed' && event.messageId === open?.id) endMessage()
  }
  return {
    notify(events) {
      events.forEach(receive)
      flush()
    },
    pause() {
      paused++
      return () => {
        paused--
        flush()
      }
    },
    async end(answer) {
      endMessage()
      paused = 0
      flush()
      const text = cleanText(io, answer)
      if (text.trim() === '' || squeezed(text) === squeezed(last)) return
      await writeRaw(io, new GrowingMarkdown().end(styleOf(io), text))
    },
  }
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, '')
}

function styleOf(io: Io): MarkdownStyle {
  const { stdout, env } = io
  const colour = mayColour(stdout, env)
  return {
    clean: (text) => cleanText(io, text),
    columns: Math.min(stdout.columns || 80, MAX_COLUMNS),
    paint: (text, looks) =>
      colour && looks.length > 0 ? styleText([...looks], text, { validateStream: false }) : text,
  }
}
