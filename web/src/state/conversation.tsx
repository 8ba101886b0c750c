import { openConversationView, type Connection, type ConversationView, type ViewState } from 'offshoot/client'
import { createContext, use, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import { AgentMarks } from './agent-marks.tsx'
import { useClient } from './client.ts'
import { useNow } from '../ui/use-now.ts'
import { oncePerFrame } from './once-per-frame.ts'

interface Shown {
  readonly id: string
  readonly view: ConversationView
  readonly state: () => ViewState | null
  readonly connection: () => Connection
  /** When the connection was lost; null: connected. */
  readonly lostAt: () => number | null
  readonly subscribe: (listener: () => void) => () => void
  readonly open: () => () => void
}

const ShownContext = createContext<Shown | null>(null)

/** Keeps a conversation up to date while it is on the page. */
export function Conversation({ id, children }: { id: string; children: ReactNode }) {
  const client = useClient()
  const [shown, setShown] = useState<Shown>()
  useEffect(() => {
    const next = shownOf(id, openConversationView(client, id))
    const close = next.open()
    // this effect owns the view
    setShown(next)
    return close
  }, [client, id])
  if (shown?.id !== id) return null
  return (
    <ShownContext value={shown}>
      <AgentMarks conversationId={id}>{children}</AgentMarks>
    </ShownContext>
  )
}

function shownOf(id: string, view: ConversationView): Shown {
  const listeners = new Set<() => void>()
  let { state, connection } = view
  let lostAt: number | null = null
  const frame = oncePerFrame(() => {
    ;({ state, connection } = view)
    lostAt = isLost(connection) ? (lostAt ?? Date.now()) : null
    for (const listener of listeners) listener()
  })
  return {
    id,
    view,
    state: () => state,
    connection: () => connection,
    lostAt: () => lostAt,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open() {
      const end = view.subscribe(frame.notify)
      return () => {
        end()
        frame.stop()
        view.close()
      }
    },
  }
}

function useShown(): Shown {
  const shown = use(ShownContext)
  if (!shown) throw new Error('use this only inside a conversation')
  return shown
}

export function useConversationId(): string {
  return useShown().id
}

export function useConversationView(): ConversationView {
  return useShown().view
}

/** Whether its state is loaded, and how far it is behind. */
export function useConnection(): { readonly connection: Connection; readonly ready: boolean } {
  const { subscribe, connection, state } = useShown()
  return {
    connection: useSyncExternalStore(subscribe, connection),
    ready: useSyncExternalStore(subscribe, () => state() !== null),
  }
}

function isLost({ status }: Connection): boolean {
  return status === 'lost' || status === 'ended'
}

/**
 * The current time for active runs, updated every second. It stops while disconnected, because their state is unknown
 * then.
 */
export function useLiveNow(live = true): number {
  const { subscribe, lostAt } = useShown()
  const lost = useSyncExternalStore(subscribe, lostAt)
  const now = useNow(live && lost === null)
  return lost ?? now
}

/** Whether a live process drives the conversation, so that time passes for its runs. */
export function useIsDriven(): boolean {
  return useView((state) => state.isDriven)
}

/**
 * Selects a part of the state; redraws only when it changes. `select` returns an object of the state, a list of them,
 * or a primitive. Only while the state is loaded (`ready`).
 */
export function useView<T>(select: (state: ViewState) => T): T {
  const { subscribe, state } = useShown()
  const last = useRef<T>(undefined)
  return useSyncExternalStore(subscribe, () => {
    const known = state()
    if (!known) throw new Error('the conversation is not loaded yet')
    const next = select(known)
    if (!isSameList(last.current, next)) last.current = next
    return last.current as T
  })
}

function isSameList(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((each, index) => Object.is(each, b[index]))
}
