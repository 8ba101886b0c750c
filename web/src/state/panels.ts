import { useSyncExternalStore } from 'react'
import { readPref, writePref } from './prefs.ts'

/** Which run the panels at the side are about, and whether they are shown on a small screen. */
interface Panels {
  readonly runId: string | null
  /** Of a screen without room for columns: what lies over the conversation. */
  readonly sheet: 'left' | 'right' | null
}

let panels: Panels = { runId: null, sheet: null }
const listeners = new Set<() => void>()

export type RightTab = 'agents' | 'timeline' | 'steps' | 'details'

export function usePanels(): Panels {
  return useSyncExternalStore(subscribe, () => panels)
}

/** Opens a tab of the right panel, about a run. */
export function showPanel(tab: RightTab, runId?: string): void {
  writePref('rightTab', tab)
  writePref('rightOpen', true)
  set({ runId: runId ?? panels.runId, sheet: isNarrow() ? 'right' : null })
}

/** The Agents button: opens the panel, or closes it where it is open already. */
export function togglePanel(tab: RightTab): void {
  const isShown = isNarrow() ? panels.sheet === 'right' : readPref('rightOpen')
  if (!isShown || readPref('rightTab') !== tab) showPanel(tab)
  else {
    if (!isNarrow()) writePref('rightOpen', false)
    closeSheet()
  }
}

export function openSheet(sheet: Panels['sheet']): void {
  set({ ...panels, sheet })
}

export function closeSheet(): void {
  set({ ...panels, sheet: null })
}

/** Whether the right panel has no column of its own. */
export function isNarrow(): boolean {
  return matchMedia('(max-width: 1099px)').matches
}

function set(next: Panels): void {
  panels = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
