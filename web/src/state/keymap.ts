import { useEffect, useRef } from 'react'
import { readPref } from './prefs.ts'

/** `Mod` is ⌘ on a Mac and Ctrl elsewhere. Two keys separated by a space are pressed in sequence. */
export const shortcuts = [
  { id: 'palette', keys: 'Mod+K', label: 'Open command palette', group: 'Everywhere' },
  { id: 'help', keys: '?', label: 'Show shortcuts', group: 'Everywhere' },
  { id: 'new', keys: 'C', label: 'New conversation', group: 'Everywhere' },
  { id: 'compose', keys: '/', label: 'Write a message', group: 'Everywhere' },
  { id: 'needs-me', keys: 'N', label: 'Next item that needs you', group: 'Everywhere' },
  { id: 'interrupt', keys: 'Mod+.', label: 'Interrupt this branch', group: 'Conversation' },
  { id: 'next-message', keys: 'J', label: 'Next message', group: 'Conversation' },
  { id: 'previous-message', keys: 'K', label: 'Previous message', group: 'Conversation' },
  { id: 'first-message', keys: 'Home', label: 'First message', group: 'Conversation' },
  { id: 'last-message', keys: 'End', label: 'Latest message', group: 'Conversation' },
  { id: 'edit-last', keys: 'E', label: 'Edit your last message', group: 'Conversation' },
  { id: 'fold-all', keys: '[', label: 'Fold all', group: 'Conversation' },
  { id: 'unfold-all', keys: ']', label: 'Unfold all', group: 'Conversation' },
  { id: 'parent', keys: 'Alt+ArrowUp', label: 'Parent branch', group: 'Branches' },
  { id: 'first-child', keys: 'Alt+ArrowDown', label: 'First child', group: 'Branches' },
  { id: 'previous-sibling', keys: 'Alt+ArrowLeft', label: 'Previous sibling', group: 'Branches' },
  { id: 'next-sibling', keys: 'Alt+ArrowRight', label: 'Next sibling', group: 'Branches' },
  { id: 'agents', keys: 'G A', label: 'Agents', group: 'Panels' },
  { id: 'timeline', keys: 'G T', label: 'Timeline', group: 'Panels' },
  { id: 'tree', keys: 'G B', label: 'Branch tree', group: 'Panels' },
  { id: 'conversations', keys: 'G C', label: 'Conversations', group: 'Panels' },
] as const

export type ShortcutId = (typeof shortcuts)[number]['id']
export type Actions = Partial<Record<ShortcutId, () => void>>

/** Maximum delay of the second key. */
const SEQUENCE_MS = 1000

export function keysOf(id: ShortcutId): string {
  return readPref('keys')[id] ?? shortcuts.find((each) => each.id === id)?.keys ?? ''
}

/** Formats keys for display: `⌘K`, `Alt ↑`. */
export function shownKeys(keys: string): string {
  const arrows = keys
    .replace('ArrowUp', '↑')
    .replace('ArrowDown', '↓')
    .replace('ArrowLeft', '←')
    .replace('ArrowRight', '→')
  return isMac()
    ? arrows.replace('Mod+', '⌘').replace('Alt+', '⌥')
    : arrows.replace('Mod+', 'Ctrl ').replace('Alt+', 'Alt ')
}

/** Executes shortcuts. Keys without Ctrl, ⌘ or Alt work only outside inputs, and can be disabled. */
export function useShortcuts(actions: Actions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    let first: { key: string; at: number } | undefined
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const pressed = keyOf(event)
      if (isPlain(pressed) && (!readPref('singleKeys') || isTyping(event.target))) return
      const before = first && event.timeStamp - first.at < SEQUENCE_MS ? `${first.key} ` : ''
      const found = find(before + pressed) ?? find(pressed)
      first = { key: pressed, at: event.timeStamp }
      const action = found && latest.current[found]
      if (!action) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

export function keyOf(event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey'>): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key
  const mod = event.metaKey || event.ctrlKey ? 'Mod+' : ''
  return `${mod}${event.altKey ? 'Alt+' : ''}${key}`
}

function find(keys: string): ShortcutId | undefined {
  return shortcuts.find((each) => keysOf(each.id) === keys)?.id
}

function isPlain(keys: string): boolean {
  return !/^(Mod|Alt)\+/.test(keys)
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable || target.matches('input, textarea, select, [role=textbox], [role=menuitem]')
  )
}

function isMac(): boolean {
  return navigator.userAgent.includes('Mac')
}
