import type { OffshootEvent } from '../core/events.ts'
import { ClientError } from './client-error.ts'
import { readServerMessages } from './sse.ts'
import { after, sleepOnTimer } from './timer.ts'

export interface FollowOptions {
  /** Stored events after this one. Default: 0, all of them. */
  readonly after?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** So long without a byte, a heartbeat included, and the connection is taken for dead. Default: 45 s. */
  readonly silenceMs?: number | undefined
  /** Injected in tests. */
  readonly wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
  readonly random?: (() => number) | undefined
}

/** Events, and what happens to the connection. */
export type Followed =
  | { readonly type: 'events'; readonly events: readonly OffshootEvent[] }
  /** It is there (again). */
  | { readonly type: 'connected' }
  /** It is gone, and is tried again after so long. Milliseconds. */
  | { readonly type: 'disconnected'; readonly error: unknown; readonly retryMs: number }
  /** Events were lost: a new snapshot is needed. The stream goes on after the last `seq` that it knows. */
  | { readonly type: 'reset' }

const SILENCE_MS = 45_000
export const FIRST_RETRY_MS = 250
/** The server is near, as a rule: a page is not behind for long once it is back. */
export const MAX_RETRY_MS = 3_000

/** One connection after the other, until the signal aborts or the server refuses for good. */
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

/** No such conversation, no access: the same call has the same answer. Too many clients, and a broken proxy, may pass. */
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

/** What it was reading has ended or failed, and that error is reported. */
function ignoreLostConnection(): void {}

/** Events that came together are handed on together. */
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

/** What is no event is passed over: a missing `seq` is noticed by the next. */
function eventIn(data: string): OffshootEvent | undefined {
  try {
    const event = JSON.parse(data) as Partial<OffshootEvent> | null
    const isEvent = typeof event?.type === 'string' && typeof event.seq === 'number'
    return isEvent ? (event as OffshootEvent) : undefined
  } catch {
    return undefined
  }
}

/** Aborts with the outer signal, and after so long without a touch. */
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
    const message = `nothing came for ${this.#silenceMs / 1000} s`
    const error = new ClientError(0, { code: 'unreachable', message })
    this.#cancel = after(this.#silenceMs, () => this.#controller.abort(error))
  }

  end(): void {
    this.#cancel()
    this.#outer?.removeEventListener('abort', this.#onAbort)
    this.#controller.abort()
  }
}
