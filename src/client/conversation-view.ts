import type { OffshootEvent } from '../core/events.ts'
import type { Client } from './client.ts'
import { ClientError } from './client-error.ts'
import { FIRST_RETRY_MS, MAX_RETRY_MS } from './follow-events.ts'
import { withPage } from './merge-message-page.ts'
import { reduce, withoutToast } from './reduce.ts'
import { stateOf, type ViewState } from './view-state.ts'
import { sleepOnTimer } from './timer.ts'

/** Whether the view is up to date. `ended`: permanently, with the error. */
export type Connection =
  | { readonly status: 'connecting' | 'live' }
  | { readonly status: 'lost'; readonly error: unknown; readonly retryMs: number }
  | { readonly status: 'ended'; readonly error: unknown }

/** A conversation, kept up to date. Its values are never mutated, so they work with `useSyncExternalStore`. */
export interface ConversationView {
  /** null until the first snapshot. */
  readonly state: ViewState | null
  readonly connection: Connection
  /** Subscribes to changes of either; the returned function unsubscribes. */
  subscribe(listener: () => void): () => void
  /** Loads the latest messages of a branch and keeps them up to date. @throws ClientError */
  loadBranch(branchId: string): Promise<void>
  /** Loads the previous page of messages; false: there was none. @throws ClientError */
  loadOlder(branchId: string, options?: OlderOptions): Promise<boolean>
  dismissToast(id: string): void
  close(): void
}

export interface OlderOptions {
  /** Messages of this page, at most 200. Default: those of any page. */
  readonly limit?: number
}

export interface ViewOptions {
  /** Messages per page. Default: 50. */
  readonly pageSize?: number
}

/** Loads a snapshot, follows the events after it, and reloads after a gap. */
export function openConversationView(
  client: Client,
  conversationId: string,
  { pageSize = 50 }: ViewOptions = {},
): ConversationView {
  const view = new View(client, conversationId, pageSize)
  void view.follow()
  return view
}

class View implements ConversationView {
  state: ViewState | null = null
  connection: Connection = { status: 'connecting' }
  readonly #client: Client
  readonly #id: string
  readonly #pageSize: number
  readonly #closing = new AbortController()
  readonly #listeners = new Set<() => void>()
  /** For each page being loaded: the events since the request. */
  readonly #meanwhile = new Set<OffshootEvent[]>()
  /** Settles with the first snapshot, or with the error that prevents it. */
  readonly #first = Promise.withResolvers<void>()

  constructor(client: Client, conversationId: string, pageSize: number) {
    this.#client = client
    this.#id = conversationId
    this.#pageSize = pageSize
    this.#first.promise.catch(ignoreUntilAwaited)
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async follow(): Promise<void> {
    const { signal } = this.#closing
    let failures = 0
    while (!signal.aborted) {
      try {
        await this.#followOnce()
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        const isPassing = error instanceof ClientError && (error.status === 0 || error.status >= 500)
        if (!isPassing) return this.#end(error)
        const retryMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++)
        this.#notify({ connection: { status: 'lost', error, retryMs } })
        await sleepOnTimer(retryMs, signal)
      }
    }
  }

  /** Runs until events were missed, or state that no event carries may have changed: who drives the conversation. */
  async #followOnce(): Promise<void> {
    const { signal } = this.#closing
    const snapshot = await this.#client.getSnapshot({ id: this.#id }, { signal })
    this.#notify({ state: stateOf(snapshot, this.state ?? undefined) })
    this.#first.resolve()
    await this.#reload()
    const ending = new AbortController()
    const both = AbortSignal.any([signal, ending.signal])
    let wasLost = false
    try {
      for await (const followed of this.#client.events(this.#id, { after: snapshot.seq, signal: both })) {
        if (followed.type === 'reset' || (followed.type === 'connected' && wasLost)) return
        wasLost = followed.type === 'disconnected'
        if (followed.type === 'connected') this.#notify({ connection: { status: 'live' } })
        else if (followed.type === 'disconnected')
          this.#notify({ connection: { status: 'lost', error: followed.error, retryMs: followed.retryMs } })
        else this.#receive(followed.events)
        if (this.state!.isStale || this.state!.isDeleted) break
      }
    } finally {
      ending.abort()
    }
    if (this.state!.isDeleted) {
      this.#end(null)
      this.#closing.abort()
    }
  }

  #end(error: unknown): void {
    this.#notify({ connection: { status: 'ended', error } })
    this.#first.reject(error)
  }

  #receive(events: readonly OffshootEvent[]): void {
    for (const waiting of this.#meanwhile) waiting.push(...events)
    const state = events.reduce(reduce, this.state!)
    if (state !== this.state) this.#notify({ state })
  }

  /** Reloads branches, because loaded messages may lack missed events. */
  async #reload(): Promise<void> {
    const loaded = Object.values(this.state!.branches).filter((branch) => branch.messages !== null)
    await Promise.all(loaded.map((branch) => this.loadBranch(branch.id)))
  }

  async loadBranch(branchId: string): Promise<void> {
    await this.#first.promise
    await this.#load(branchId, {})
  }

  async loadOlder(branchId: string, options: OlderOptions = {}): Promise<boolean> {
    const branch = Object.values(this.state?.branches ?? {}).find(({ id }) => id === branchId)
    if (!branch || branch.before === null) return false
    await this.#load(branchId, { before: branch.before, ...options })
    return true
  }

  async #load(id: string, { before, limit = this.#pageSize }: LoadedPage): Promise<void> {
    const since: OffshootEvent[] = []
    this.#meanwhile.add(since)
    try {
      const query = { id, limit, ...(before === undefined ? {} : { before }) }
      const page = await this.#client.listMessages(query, { signal: this.#closing.signal })
      if (this.state) this.#notify({ state: withPage(this.state, page, since) })
    } finally {
      this.#meanwhile.delete(since)
    }
  }

  dismissToast(id: string): void {
    if (this.state) this.#notify({ state: withoutToast(this.state, id) })
  }

  close(): void {
    this.#closing.abort()
    this.#first.reject(this.#closing.signal.reason)
    this.#listeners.clear()
  }

  #notify(change: { readonly state?: ViewState; readonly connection?: Connection }): void {
    Object.assign(this, change)
    for (const listener of this.#listeners) listener()
  }
}

interface LoadedPage extends OlderOptions {
  readonly before?: number
}

/** Prevents an unhandled rejection until `ready` rejects. */
function ignoreUntilAwaited(): void {}
