import { useCallback, useSyncExternalStore } from 'react'

/** What this device remembers. A browser that keeps nothing has it until the page is closed. */
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
  /** The Agents panel shows other conversations too. */
  readonly allAgents: boolean
  /** The branch that was open last, by conversation. */
  readonly branches: Readonly<Record<string, string>>
  /** When a branch was last looked at, and when a conversation was first. Milliseconds of this device. */
  readonly seen: Readonly<Record<string, number>>
  /** What the branch tree shows beside branches. */
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
    // it keeps nothing
  }
  for (const listener of listeners) listener()
}

/** What is stored, where it is of the kind that is expected. */
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
