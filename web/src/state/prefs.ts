import { useCallback, useSyncExternalStore } from 'react'

/** What the page remembers on this device. Without browser storage, it lasts until the page is closed. */
interface Prefs {
  readonly theme: 'system' | 'light' | 'dark'
  readonly leftOpen: boolean
  readonly rightOpen: boolean
  readonly leftWidth: number
  readonly rightWidth: number
  readonly leftTab: 'conversations' | 'tree'
  readonly rightTab: 'agents' | 'timeline' | 'steps' | 'details'
  readonly singleKeys: boolean
  readonly keys: Readonly<Record<string, string>>
  readonly compressIdle: boolean
  readonly timelineTable: boolean
  /** The Agents panel also shows other conversations. */
  readonly allAgents: boolean
  /** The branch that was open last, by conversation. */
  readonly branches: Readonly<Record<string, string>>
  /** When a branch was last viewed, and a conversation first. Milliseconds, by this device's clock. */
  readonly seen: Readonly<Record<string, number>>
  /** What the branch tree shows besides branches. */
  readonly treeFilter: 'branches' | 'yours' | 'said' | 'all'
}

const defaults: Prefs = {
  theme: 'system',
  leftOpen: true,
  rightOpen: true,
  leftWidth: 260,
  rightWidth: 380,
  leftTab: 'conversations',
  rightTab: 'agents',
  singleKeys: true,
  keys: {},
  compressIdle: true,
  timelineTable: false,
  allAgents: false,
  branches: {},
  seen: {},
  treeFilter: 'branches',
}

const known = new Map<string, unknown>()
const listeners = new Set<() => void>()

export function usePref<K extends keyof Prefs>(key: K): [Prefs[K], (value: Prefs[K]) => void] {
  const value = useSyncExternalStore(subscribe, () => readPref(key))
  const set = useCallback((next: Prefs[K]) => writePref(key, next), [key])
  return [value, set]
}

export function readPref<K extends keyof Prefs>(key: K): Prefs[K] {
  if (!known.has(key)) known.set(key, stored(key))
  return known.get(key) as Prefs[K]
}

export function writePref<K extends keyof Prefs>(key: K, value: Prefs[K]): void {
  known.set(key, value)
  try {
    localStorage.setItem(`offshoot.${key}`, JSON.stringify(value))
  } catch {
    // storage is unavailable
  }
  for (const listener of listeners) listener()
}

/** The stored value, if it has the expected type. */
function stored<K extends keyof Prefs>(key: K): Prefs[K] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`offshoot.${key}`) ?? 'null')
    return value !== null && typeof value === typeof defaults[key] ? (value as Prefs[K]) : defaults[key]
  } catch {
    return defaults[key]
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
