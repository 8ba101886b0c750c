import { paths, type RouteName } from '../protocol/route-paths.ts'
import type { RouteAnswer, RouteInput } from '../protocol/route-schemas.ts'
import type { SessionOpened } from '../protocol/session.ts'
import { ClientError, errorOf } from './client-error.ts'
import { followEvents, type FollowOptions, type Followed } from './follow-events.ts'

export interface ClientOptions {
  /** `http://127.0.0.1:4680`; '' in a page of the same server. */
  readonly baseUrl: string
  /**
   * Token from `$OFFSHOOT_HOME/token` or of a session. A function is called for each request, because the token of a
   * page changes.
   */
  readonly token?: string | (() => string | undefined) | undefined
  /** Default: the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** For changes: a second request with the same key has no further effect. Default: a new key. */
  readonly idempotencyKey?: string | undefined
  /** For changes: the request is sent even if its page is being closed. */
  readonly keepalive?: boolean | undefined
}

/** The argument is optional if all its fields are. */
type Argument<I> = object extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions]

type Calls = {
  readonly [N in RouteName]: (...args: Argument<RouteInput<N>>) => Promise<RouteAnswer<N>>
}

/**
 * Every route of a server (docs/server.md) by its name. Each call throws `ClientError`, or the reason of its signal.
 */
export interface Client extends Calls {
  /**
   * Events of a conversation after a `seq`, then new ones. Reconnects automatically without missing stored events;
   * `reset` means that events were lost and a new snapshot is needed. Throws `ClientError` if retrying cannot help:
   * unknown conversation, no access.
   */
  events(conversationId: string, options?: FollowOptions): AsyncIterable<Followed>
  /** The whole conversation as a document. */
  exportConversation(id: string, format?: 'json' | 'md' | 'html', options?: CallOptions): Promise<string>
  /** An artifact: content too large for a message. */
  artifact(id: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>
  /** Exchanges the key of a link for a session. Needs no token; a key works once. */
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

/** Builds path and payload: the rest of the input is the query of a GET, otherwise the body. */
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
      { code: 'bad_answer', message: 'the response is not JSON; the server may have stopped' },
      error,
    )
  }
}
