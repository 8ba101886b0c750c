import { useSyncExternalStore } from 'react'

/**
 * Cards that a person opened or closed; later state changes leave them alone. "Fold all" applies to all earlier cards.
 */
const chosen = new Map<string, boolean>()
const listeners = new Set<() => void>()
let everything: boolean | undefined

export function useFold(key: string, openAtFirst = false): [boolean, (open: boolean) => void] {
  const open = useSyncExternalStore(subscribe, () => chosen.get(key) ?? everything ?? openAtFirst)
  const set = (next: boolean) => {
    chosen.set(key, next)
    notify()
  }
  return [open, set]
}

export function foldAll(open: boolean): void {
  chosen.clear()
  everything = open
  notify()
}

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
