import { paths, type RouteName } from '../protocol/route-paths.ts'
import type { RouteAnswer, RouteInput } from '../protocol/route-schemas.ts'
import type { SessionOpened } from '../protocol/session.ts'
import { ClientError, errorOf } from './client-error.ts'
import { followEvents, type FollowOptions, type Followed } from './follow-events.ts'

export interface ClientOptions {
  /** `http://127.0.0.1:4680`; in a page of the server itself ''. */
  readonly baseUrl: string
  /** Of `$OFFSHOOT_HOME/token`, or of a session. A function is asked for each call: the token of a page changes. */
  readonly token?: string | (() => string | undefined) | undefined
  /** Default: that of the platform. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Of a call that changes something: a second one with the same key does nothing more. Default: a fresh one. */
  readonly idempotencyKey?: string | undefined
  /** Of a call that changes something: it is sent also where the page that makes it is being left. */
  readonly keepalive?: boolean | undefined
}

/** An optional argument where nothing has to be given. */
type Argument<I> = object extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions]

type Calls = {
  readonly [N in RouteName]: (...args: Argument<RouteInput<N>>) => Promise<RouteAnswer<N>>
}

/** Every route of a server (docs/server.md) by its name. Each call throws `ClientError`, or the reason of its signal. */
export interface Client extends Calls {
  /**
   * The events of a conversation after a `seq`, and what happens from then on. It connects again by itself and misses
   * no stored event; `reset` says that it would: then a new snapshot is needed. Throws `ClientError` where trying
   * again is of no use: no such conversation, no access.
   */
  events(conversationId: string, options?: FollowOptions): AsyncIterable<Followed>
  /** The whole conversation as a document. */
  exportConversation(id: string, format?: 'json' | 'md' | 'html', options?: CallOptions): Promise<string>
  /** What was too large for a message. */
  artifact(id: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>
  /** Exchanges the key of a link for a session. It needs no token, and a key is taken once. */
  openSession(key: string, options?: CallOptions): Promise<SessionOpened>
}

export function createClient(options: ClientOptions): Client {
  const request = requester(options)
  const calls = Object.fromEntries(
    Object.entries(paths).map(([name, [method, path]]) => [
      name,
      async (input: Record<string, unknown> = {}, more: CallOptions = {}) => {
        const response = await request(...requestOf(method, path, input, more))
        return await jsonOf(response)
      },
    ]),
  )
  return {
    ...(calls as unknown as Calls),
    events: (id, more) => followEvents((path, init) => request(path, init), id, more),
    async exportConversation(id, format = 'json', { signal } = {}) {
      const path = `/conversations/${encodeURIComponent(id)}/export?format=${format}`
      return await (await request(path, { signal: signal ?? null })).text()
    },
    async artifact(id, { signal } = {}) {
      const response = await request(`/artifacts/${encodeURIComponent(id)}`, { signal: signal ?? null })
      return new Uint8Array(await response.arrayBuffer())
    },
    async openSession(key, { signal } = {}) {
      const headers = { 'content-type': 'application/json' }
      const sent = { method: 'POST', headers, body: JSON.stringify({ key }), signal: signal ?? null }
      return (await jsonOf(await request('/sessions', sent))) as SessionOpened
    },
  }
}

/** Path and what goes with it: the rest of the input is the query of a GET, and else the body. */
function requestOf(
  method: string,
  pattern: string,
  { id, ...rest }: Record<string, unknown>,
  { signal, idempotencyKey, keepalive = false }: CallOptions,
): [string, RequestInit] {
  const path = pattern.replace(':id', encodeURIComponent(String(id)))
  if (method === 'GET') return [`${path}${queryOf(rest as Query)}`, { signal: signal ?? null }]
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey ?? crypto.randomUUID(),
  }
  const sent = JSON.stringify(rest)
  const body = method === 'DELETE' && sent === '{}' ? null : sent
  return [path, { method, headers, body, signal: signal ?? null, ...(keepalive ? { keepalive } : {}) }]
}

type Query = Readonly<Record<string, string | number | undefined>>

function queryOf(values: Query): string {
  const given = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  )
  const query = new URLSearchParams(Object.fromEntries(given) as Record<string, string>).toString()
  return query === '' ? '' : `?${query}`
}

export type Requester = (path: string, init: RequestInit) => Promise<Response>

function requester({ baseUrl, token, fetch = globalThis.fetch }: ClientOptions): Requester {
  const root = `${baseUrl.replace(/\/+$/, '')}/api`
  return async (path, init) => {
    const known = typeof token === 'function' ? token() : token
    const authorization = known === undefined ? {} : { authorization: `Bearer ${known}` }
    const headers = { ...(init.headers as Record<string, string> | undefined), ...authorization }
    const response = await send(() => fetch(root + path, { ...init, headers }), init.signal)
    if (!response.ok) throw await errorOf(response)
    return response
  }
}

async function send(
  call: () => Promise<Response>,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  try {
    return await call()
  } catch (error) {
    signal?.throwIfAborted()
    const message = 'the server cannot be reached'
    throw new ClientError(0, { code: 'unreachable', message, hint: 'is `offshoot serve` running?' }, error)
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    throw new ClientError(
      response.status,
      { code: 'bad_answer', message: 'the server sent no JSON: was it ended?' },
      error,
    )
  }
}
