import { useLayoutEffect, useSyncExternalStore, type RefObject } from 'react'
import { closeSheet } from './panels.ts'
import { navigate } from './route.ts'

/** Cards of open asks on the page, each drawn once, with whether it is in view. */
const drawn = new Map<string, { readonly card: HTMLElement; readonly inView: boolean }>()
const listeners = new Set<() => void>()
/** The ask that a person opened: its card takes the focus when it is drawn. */
let wanted: string | undefined

export type AskPlace = 'in view' | 'out of view' | 'not drawn'

export function useAskPlaces(ids: readonly string[]): readonly AskPlace[] {
  const text = useSyncExternalStore(subscribe, () => ids.map(placeOf).join('\n'))
  return text === '' ? [] : (text.split('\n') as AskPlace[])
}

/** Registers the card of an ask. */
export function useAskCard(id: string, ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const card = ref.current
    if (!card) return undefined
    const observer = new IntersectionObserver(([entry]) => set(id, card, entry?.isIntersecting ?? true))
    observer.observe(card)
    set(id, card, true)
    if (wanted === id) show(card)
    return () => {
      observer.disconnect()
      drawn.delete(id)
      notify()
    }
  }, [id, ref])
}

/** Opens the page of an ask and scrolls to its card. */
export function openAsk(id: string, path: string): void {
  wanted = id
  closeSheet()
  if (location.pathname !== path) navigate(path)
  const known = drawn.get(id)
  if (known) return show(known.card)
  // a long branch draws only the visible part, and open asks are near its end
  const transcript = document.querySelector('[data-transcript]')
  transcript?.scrollTo({ top: transcript.scrollHeight })
}

function placeOf(id: string): AskPlace {
  const known = drawn.get(id)
  return known ? (known.inView ? 'in view' : 'out of view') : 'not drawn'
}

/** Repeats the scroll, because content above the card may still be drawn. */
function show(card: HTMLElement): void {
  wanted = undefined
  requestAnimationFrame(() => {
    card.scrollIntoView({ block: 'nearest' })
    card.focus({ preventScroll: true })
  })
}

function set(id: string, card: HTMLElement, inView: boolean): void {
  drawn.set(id, { card, inView })
  notify()
}

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
