import type { OffshootEvent } from '../core/events.ts'
import { ClientError } from './client-error.ts'
import { readServerMessages } from './sse.ts'
import { after, sleepOnTimer } from './timer.ts'

export interface FollowOptions {
  /** Stored events after this one. Default: 0, all of them. */
  readonly after?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Without a byte or heartbeat for this long, the connection counts as dead. Default: 45 s. */
  readonly silenceMs?: number | undefined
  /** Injected in tests. */
  readonly wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
  readonly random?: (() => number) | undefined
}

/** Events and connection changes. */
export type Followed =
  | { readonly type: 'events'; readonly events: readonly OffshootEvent[] }
  /** Connected (again). */
  | { readonly type: 'connected' }
  /** Disconnected; reconnects after this delay, milliseconds. */
  | { readonly type: 'disconnected'; readonly error: unknown; readonly retryMs: number }
  /** Events were lost: load a new snapshot. The stream continues after the last known `seq`. */
  | { readonly type: 'reset' }

const SILENCE_MS = 45_000
export const FIRST_RETRY_MS = 250
/** Short delays: the server is usually near, so a page catches up soon after it returns. */
export const MAX_RETRY_MS = 3_000

/** Connects again and again until the signal aborts or the server refuses permanently. */
export async function* followEvents(
  request: (path: string, init: RequestInit) => Promise<Response>,
  conversationId: string,
  options: FollowOptions = {},
): AsyncGenerator<Followed, void, undefined> {
  const { signal, wait = sleepOnTimer, random = Math.random } = options
  let seq = options.after ?? 0
  for (let failures = 0; !signal?.aborted;) {
    let failure: unknown
    try {
      for await (const followed of connect(request, conversationId, seq, options)) {
        failures = 0
        if (followed.type === 'events') seq = followed.events.reduce(lastSeq, seq)
        yield followed
      }
      failure = new ClientError(0, { code: 'closed', message: 'the server has closed the stream' })
    } catch (error) {
      if (signal?.aborted) return
      if (isFinal(error)) throw error
      failure = error
    }
    const retryMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++) * (0.5 + random() / 2)
    yield { type: 'disconnected', error: failure, retryMs }
    await wait(retryMs, signal)
  }
}

function lastSeq(seq: number, event: OffshootEvent): number {
  return event.sub === undefined ? Math.max(seq, event.seq) : seq
}

/** Unknown conversation or no access: a retry would fail the same way. Too many clients or a broken proxy may pass. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof ClientError &&
    error.status >= 400 &&
    error.status < 500 &&
    ![408, 429].includes(error.status)
  )
}

async function* connect(
  request: (path: string, init: RequestInit) => Promise<Response>,
  conversationId: string,
  seq: number,
  { signal, silenceMs = SILENCE_MS }: FollowOptions,
): AsyncGenerator<Followed, void, undefined> {
  const watch = new Watch(silenceMs, signal)
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(seq) }
    const path = `/conversations/${encodeURIComponent(conversationId)}/events?after=${seq}`
    const response = await request(path, { headers, signal: watch.signal, cache: 'no-store' })
    if (!response.body) throw new ClientError(0, { code: 'bad_answer', message: 'the stream is empty' })
    yield { type: 'connected' }
    yield* read(response.body, watch)
  } finally {
    watch.end()
  }
}

async function* read(
  body: ReadableStream<Uint8Array>,
  watch: Watch,
): AsyncGenerator<Followed, void, undefined> {
  const messages = readServerMessages()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      watch.touch()
      if (done) return
      yield* followedOf(messages.push(decoder.decode(value, { stream: true })))
    }
  } finally {
    reader.cancel().catch(ignoreLostConnection)
  }
}

/** The current read has ended or failed, and that error is reported. */
function ignoreLostConnection(): void {}

/** Delivers events together that arrived together. */
function* followedOf(
  messages: readonly { readonly type: string; readonly data: string }[],
): Generator<Followed> {
  let events: OffshootEvent[] = []
  for (const { type, data } of messages) {
    if (type !== 'reset') {
      const event = eventIn(data)
      if (event) events.push(event)
      continue
    }
    if (events.length > 0) yield { type: 'events', events }
    events = []
    yield { type: 'reset' }
  }
  if (events.length > 0) yield { type: 'events', events }
}

/** Skips invalid events: the next one reveals the missing `seq`. */
function eventIn(data: string): OffshootEvent | undefined {
  try {
    const event = JSON.parse(data) as Partial<OffshootEvent> | null
    const isEvent = typeof event?.type === 'string' && typeof event.seq === 'number'
    return isEvent ? (event as OffshootEvent) : undefined
  } catch {
    return undefined
  }
}

/** Aborts with the outer signal, or after this long without a touch. */
class Watch {
  readonly #controller = new AbortController()
  readonly #silenceMs: number
  readonly #outer: AbortSignal | undefined
  #cancel = () => {}
  readonly #onAbort = () => this.#controller.abort(this.#outer?.reason)

  constructor(silenceMs: number, outer: AbortSignal | undefined) {
    this.#silenceMs = silenceMs
    this.#outer = outer
    if (outer?.aborted) this.#onAbort()
    outer?.addEventListener('abort', this.#onAbort, { once: true })
    this.touch()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  touch(): void {
    this.#cancel()
    const message = `no data for ${this.#silenceMs / 1000} s`
    const error = new ClientError(0, { code: 'unreachable', message })
    this.#cancel = after(this.#silenceMs, () => this.#controller.abort(error))
  }

  end(): void {
    this.#cancel()
    this.#outer?.removeEventListener('abort', this.#onAbort)
    this.#controller.abort()
  }
}
