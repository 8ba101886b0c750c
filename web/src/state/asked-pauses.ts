import type { ViewState } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useEffect, useSyncExternalStore } from 'react'
import { useView } from './conversation.tsx'

/** Runs that this page asked to pause and that have not paused yet: no event reports a pause request. */
const asked = new Set<string>()
const listeners = new Set<() => void>()

/** Whether a run will pause but has not yet. */
export function useIsPausing(run: Pick<RunRow, 'id' | 'status' | 'pausing'>): boolean {
  const isAsked = useSyncExternalStore(subscribe, () => asked.has(run.id))
  const isLive = run.status === 'queued' || run.status === 'running' || run.status === 'waiting'
  return isLive && (isAsked || run.pausing !== null)
}

export function pauseAsked(ids: readonly string[]): void {
  for (const id of ids) asked.add(id)
  notify()
}

export function pauseOver(ids: readonly string[]): void {
  const known = ids.filter((id) => asked.delete(id))
  if (known.length > 0) notify()
}

/** Forgets the pause requests of stopped runs, which a person may continue. */
export function useOverPauses(): void {
  const over = useView((state) => [...asked].filter((id) => hasStopped(state, id)))
  useEffect(() => pauseOver(over), [over])
}

function hasStopped({ runs }: ViewState, id: string): boolean {
  const status = runs[id as RunRow['id']]?.status
  return status !== undefined && status !== 'queued' && status !== 'running' && status !== 'waiting'
}

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
