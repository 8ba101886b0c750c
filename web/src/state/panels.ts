import { useSyncExternalStore } from 'react'
import { readPref, writePref } from './prefs.ts'

/** The run that the side panels show, and whether they are open on a small screen. */
interface Panels {
  readonly runId: string | null
  /** The sheet over the conversation on a screen without room for columns. */
  readonly sheet: 'left' | 'right' | null
}

let panels: Panels = { runId: null, sheet: null }
const listeners = new Set<() => void>()

export type RightTab = 'agents' | 'timeline' | 'steps' | 'details'

export function usePanels(): Panels {
  return useSyncExternalStore(subscribe, () => panels)
}

/** Opens a tab of the right panel, for a run if given. */
export function showPanel(tab: RightTab, runId?: string): void {
  writePref('rightTab', tab)
  writePref('rightOpen', true)
  set({ runId: runId ?? panels.runId, sheet: isNarrow() ? 'right' : null })
}

/** For the Agents button: opens the panel, or closes it if it is open. */
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

/** Whether the screen is too narrow for the right panel to have a column. */
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
