import { agoWords } from 'offshoot/client'
import type { ConversationItem } from 'offshoot/protocol'
import { useMemo, useState } from 'react'
import { useNow } from '../ui/use-now.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useConversations } from '../state/conversations.ts'
import { closeSheet } from '../state/panels.ts'
import { readPref } from '../state/prefs.ts'
import { branchPath, navigate, useRoute } from '../state/route.ts'

/** Rows shown at first, and added by each "Show more". */
const PAGE = 100

export function ConversationList() {
  const { value, error } = useConversations()
  const [text, setText] = useState('')
  const [most, setMost] = useState(PAGE)
  const found = useMemo(() => search(value ?? [], text), [value, text])
  const route = useRoute()
  const current = route.page === 'conversation' ? route.conversationId : undefined
  return (
    <div className="px-2 pb-2">
      <label className="mb-1 flex h-8 items-center gap-2 rounded-md px-2 text-ink-3 focus-within:bg-hover">
        <Icon name="search" size={13} />
        <input
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setMost(PAGE)
          }}
          placeholder="Find a conversation"
          aria-label="Find a conversation"
          className="min-w-0 flex-1 bg-transparent text-sm text-ink outline-none placeholder:text-ink-3"
        />
      </label>
      {error && <p className="px-2 py-1 text-xs text-failed">{error.message}</p>}
      {value?.length === 0 && <p className="px-2 py-1 text-xs text-ink-3">No conversations yet.</p>}
      {found.length === 0 && text.trim() !== '' && <p className="px-2 py-1 text-xs text-ink-3">No results</p>}
      <ul>
        {found.slice(0, most).map((item) => (
          <li key={item.id}>
            <ConversationRow item={item} current={item.id === current} />
          </li>
        ))}
      </ul>
      {found.length > most && (
        <div className="flex items-center gap-2 pt-1 pl-2 text-xs text-ink-3">
          <span className="flex-1 tabular-nums">{`${most} of ${found.length} shown`}</span>
          <Button look="quiet" onPress={() => setMost(most + PAGE)}>
            Show more
          </Button>
        </div>
      )}
    </div>
  )
}

function ConversationRow({ item, current }: { item: ConversationItem; current: boolean }) {
  const now = useNow()
  const path = branchPath(item.id, readPref('branches')[item.id])
  return (
    <a
      href={path}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        closeSheet()
        navigate(path)
      }}
      className={`touch:min-h-11 flex min-h-8 items-center gap-2 rounded-md px-2 text-sm hover:bg-hover ${current ? 'bg-pressed font-medium' : ''}`}
    >
      <Dot item={item} />
      <span dir="auto" className="min-w-0 flex-1 truncate text-left">
        {item.title || 'Untitled'}
      </span>
      <span className="shrink-0 text-2xs font-normal text-ink-2 tabular-nums">
        {shortAge(item.updatedAt, now)}
      </span>
    </a>
  )
}

function Dot({ item }: { item: ConversationItem }) {
  if (item.needsYou > 0)
    return (
      <span className="flex items-center text-needs" title="Needs you">
        <Icon name="flag" size={12} />
        <span className="sr-only">Needs you</span>
      </span>
    )
  if (item.running > 0 && !isLeftBehind(item))
    return (
      <span className="text-running" title="Running">
        <Icon name="running" size={12} className="spin spin-elsewhere" />
        <span className="sr-only">Running</span>
      </span>
    )
  const paused = item.status === 'paused' || item.left !== null
  const words = leftWords(item)
  return (
    <span
      title={paused ? words : undefined}
      className={`flex w-3 justify-center ${paused ? 'text-paused' : item.status === 'failed' ? 'text-failed' : 'text-ink-3'}`}
    >
      {paused ? (
        <Icon name="pause" size={12} />
      ) : (
        <span className="size-1 rounded-full bg-current opacity-60" />
      )}
      {paused && <span className="sr-only">{words}</span>}
    </span>
  )
}

/** The process of its main run has exited. */
function isLeftBehind({ status, left }: ConversationItem): boolean {
  return left !== null && (status === 'queued' || status === 'running' || status === 'waiting')
}

/** `Completed: 1 subagent paused`; for an abandoned run, `left` is the whole text. */
function leftWords(item: ConversationItem): string {
  const { status, left } = item
  if (left === null || isLeftBehind(item)) return left ?? 'Paused'
  return `${status === null ? '' : `${status[0]!.toUpperCase()}${status.slice(1)}: `}${left}`
}

function shortAge(at: number, now: number): string {
  return agoWords(at, now).replace(/ ago$|^just /, '')
}

function search(items: readonly ConversationItem[], text: string): readonly ConversationItem[] {
  const words = text.toLowerCase().split(/\s+/)
  return items.filter((item) =>
    words.every((word) => `${item.title} ${item.directory}`.toLowerCase().includes(word)),
  )
}
