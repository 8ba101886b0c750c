import { memo, type ReactNode } from 'react'
import { RunCard } from './subagent-card.tsx'
import { useView } from '../state/conversation.tsx'
import { runOf } from '../state/branch-lookup.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { AgentsCard } from './agents-card.tsx'
import { useFold } from '../state/folds.ts'
import type { Item } from './transcript-items.ts'
import { LooksCard } from './read-only-calls-card.tsx'
import { MessageActions } from './message-actions.tsx'
import { ReportCard } from './report-card.tsx'
import { ToldMessage } from './told-message.tsx'
import { ToolCard } from './tool-card.tsx'
import { UserMessage } from './user-message.tsx'

/** One item of a transcript. */
export const ItemView = memo(
  ({ item, inherited }: { item: Item; inherited: boolean }) => {
    switch (item.kind) {
      case 'user':
        return <UserMessage message={item.message} inherited={inherited} />
      case 'told':
        return <ToldMessage message={item.message} inherited={inherited} />
      case 'report':
        return <ReportCard report={item.part.report} text={item.part.text} />
      case 'system':
        return <Folded id={item.key} title="Instructions" text={textOf(item.message)} />
      case 'text':
        return <Reply item={item} inherited={inherited} />
      case 'reasoning':
        return <Folded id={item.key} title="Thought" text={item.part.text} />
      case 'tool':
        return <ToolCard entry={item.entry} />
      case 'looks':
        return <LooksCard entries={item.entries} />
      case 'agents':
        return <AgentsCard entries={item.entries} />
      case 'notice':
        return <Notice text={item.part.text} branchId={item.cardOf} />
      case 'file':
        return (
          <p className="text-xs text-ink-3">{`File: ${item.part.file.filename ?? item.part.file.mediaType}`}</p>
        )
    }
  },
  (before, after) => before.inherited === after.inherited && isSameItem(before.item, after.item),
)

function isSameItem(a: Item, b: Item): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.key !== b.key || a.message !== b.message) return false
  if (a.kind === 'tool' && b.kind === 'tool') return isSameEntry(a.entry, b.entry)
  if (a.kind === 'notice' && b.kind === 'notice') return a.cardOf === b.cardOf
  if ((a.kind === 'looks' || a.kind === 'agents') && (b.kind === 'looks' || b.kind === 'agents'))
    return (
      a.entries.length === b.entries.length &&
      a.entries.every((entry, at) => isSameEntry(entry, b.entries[at]))
    )
  return true
}

type Entry = Extract<Item, { kind: 'tool' }>['entry']

function isSameEntry(a: Entry, b: Entry | undefined): boolean {
  return (
    b !== undefined &&
    a.part === b.part &&
    a.call === b.call &&
    a.result === b.result &&
    a.branch?.id === b.branch?.id
  )
}

function Reply({ item, inherited }: { item: Extract<Item, { kind: 'text' }>; inherited: boolean }) {
  const { message, part, last } = item
  const streaming = message.state === 'streaming'
  return (
    <article aria-label="Answer" aria-busy={streaming} className="group/message relative">
      <div className={`prose-reply ${streaming && last ? 'caret' : ''}`}>
        <Markdown text={part.text} streaming={streaming} />
      </div>
      {message.state === 'interrupted' && <p className="mt-1 text-xs text-ink-3">Interrupted here.</p>}
      {hasActions(item) && (
        <MessageActions message={message} inherited={inherited}>
          <CopyButton text={part.text} label="Copy answer" />
        </MessageActions>
      )}
    </article>
  )
}

/** A complete answer that ends its turn can be copied, regenerated and forked. */
export function hasActions(item: Item): boolean {
  if (item.kind !== 'text' || !item.last || item.message.state === 'streaming') return false
  return !item.message.parts.some(({ type }) => type === 'tool-call')
}

function Folded({ id, title, text }: { id: string; title: string; text: string }) {
  const [open, setOpen] = useFold(id)
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex items-center gap-1 rounded px-1 py-0.5 text-xs text-ink-3 hover:bg-hover"
      >
        {title}
        <Icon name={open ? 'down' : 'right'} size={12} />
      </button>
      {open && (
        <div
          className="scrolls prose-reply mt-1 max-h-96 overflow-y-auto border-l-2 border-line pl-3 text-sm! text-ink-2"
          tabIndex={0}
          role="region"
          aria-label={title}
        >
          <Markdown text={text} />
        </div>
      )}
    </div>
  )
}

function Notice({ text, branchId }: { text: string; branchId: string | undefined }): ReactNode {
  const run = useView((state) => (branchId ? runOf(state, branchId) : undefined))
  if (run)
    return (
      <section aria-label="Subagent" className="rounded-xl border border-line bg-raised p-1">
        <RunCard run={run} nesting={0} />
      </section>
    )
  return <p className="text-xs wrap-anywhere text-ink-3">{text}</p>
}

function textOf(message: Item['message']): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
