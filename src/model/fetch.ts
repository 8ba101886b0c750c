import type http from 'node:http'
import type https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { answerBounds, type AnswerBounds } from './http-answer-bounds.ts'
import { createBody, type HttpBody } from './http-body.ts'

/** Compatible with the global fetch. */
export type Fetch = (...request: Parameters<typeof globalThis.fetch>) => Promise<HttpAnswer>

/**
 * The part of a response that is used; a Response has it. A full Response with its Headers costs more than everything
 * else before the body.
 */
export interface HttpAnswer {
  readonly status: number
  readonly statusText: string
  /** The status is 200 to 299. */
  readonly ok: boolean
  /** Lower-case names; repeated fields are joined by `, `. */
  readonly headers: Iterable<[string, string]> & { get(name: string): string | null | undefined }
  readonly body: HttpBody | null
}

const MAX_REDIRECTS = 5
/** Shorter than servers keep a connection, so that no request uses one that is being closed. */
const IDLE_MS = 4_000
/** As many as parallel runs on one server: opening a connection costs as much as a request. */
const MAX_IDLE = 2_000

/**
 * A `fetch` over node:http(s) with its own reusable connections: less CPU and far fewer sockets than the global one for
 * many short requests (docs/dependencies.md). Only what model providers need: a body is text or bytes, redirects stay
 * on the same origin, proxies are not used. Connection failures look like the global one's (`TypeError: fetch failed`
 * with a cause that names the host); a truncated or oversized body errors its reader. Idle connections do not keep the
 * process alive.
 */
export function createFetch(bounds: AnswerBounds = answerBounds): Fetch {
  const connections = createConnections()
  let last: Target | undefined
  const targetOf = (text: string) => (last?.text === text ? last : (last = createTarget(text)))
  return async (input, init = {}) => {
    const signal = init.signal ?? undefined
    signal?.throwIfAborted()
    const call: Call = {
      target: targetOf(typeof input === 'string' ? input : 'url' in input ? input.url : input.href),
      method: (init.method ?? 'GET').toUpperCase(),
      headers: headersOf(init.headers),
      body: bodyOf(init.body),
      signal,
      connections,
    }
    return respond(await follow(call), signal, bounds)
  }
}

/** A parsed address, cached because a model is called at the same one again and again. */
interface Target {
  readonly text: string
  readonly url: URL
  readonly address: Pick<http.RequestOptions, 'hostname' | 'port' | 'path' | 'auth'>
}

function createTarget(text: string): Target {
  const url = new URL(text)
  const { hostname, port, path, auth } = urlToHttpOptions(url)
  return { text, url, address: { hostname, port, path, auth } }
}

interface Call {
  readonly target: Target
  readonly method: string
  readonly headers: http.OutgoingHttpHeaders
  readonly body: string | Uint8Array | undefined
  readonly signal: AbortSignal | undefined
  readonly connections: Connections
}

type Protocol = 'http:' | 'https:'

/** How to send requests of a protocol, with reusable connections. */
type Connections = (protocol: Protocol) => {
  readonly request: typeof http.request
  readonly agent: http.Agent
}

/**
 * Loaded with the first request, TLS only for https. Not imported: an import reads every export of node:http, some of
 * which load the global fetch, and makes a start half as long again.
 */
function createConnections(): Connections {
  const keep = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE }
  const open = (module: typeof http | typeof https) => ({
    request: module.request,
    agent: new module.Agent(keep),
  })
  const opened: Partial<Record<Protocol, ReturnType<Connections>>> = {}
  return (protocol) => (opened[protocol] ??= open(load(protocol)))
}

function load(protocol: Protocol): typeof http | typeof https {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http')
}

function headersOf(headers: RequestInit['headers']): http.OutgoingHttpHeaders {
  const entries = headers && Symbol.iterator in headers ? headers : Object.entries(headers ?? {})
  const result: http.OutgoingHttpHeaders = {}
  for (const [name, value] of entries as Iterable<[string, string | undefined]>) {
    if (value !== undefined) result[name.toLowerCase()] = value
  }
  return result
}

function bodyOf(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  throw new TypeError('this fetch sends text or bytes only')
}

async function follow(call: Call): Promise<http.IncomingMessage> {
  let { target } = call
  for (let redirects = 0; ; redirects++) {
    const { url } = target
    const response = await send({ ...call, target })
    const next = redirectTarget(response, url, call.method)
    if (!next) return response
    // not read to its end, which might never come
    response.destroy()
    if (next.origin !== url.origin) throw failed(`${url.host} redirects to another host, ${next.host}`)
    if (redirects === MAX_REDIRECTS) throw failed(`${url.host} redirects more than ${MAX_REDIRECTS} times`)
    target = createTarget(next.href)
  }
}

/** Only if the request stays the same: 307 and 308, and the others for a GET. */
function redirectTarget(response: http.IncomingMessage, url: URL, method: string): URL | null {
  const { statusCode = 0 } = response
  if (![301, 302, 303, 307, 308].includes(statusCode)) return null
  const { location } = response.headers
  return location && (statusCode >= 307 || method === 'GET') ? URL.parse(location, url.href) : null
}

function send({ target, method, headers, body, signal, connections }: Call): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { url, address } = target
    const { protocol } = url
    if (protocol !== 'https:' && protocol !== 'http:') throw failed(`${protocol} is not http: or https:`)
    const { request: open, agent } = connections(protocol)
    const request = open({
      ...address,
      protocol,
      method,
      headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
      agent,
    })
    const onAbort = () => {
      request.destroy()
      reject(signal!.reason as Error)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    request.on('response', (response) => {
      signal?.removeEventListener('abort', onAbort)
      resolve(response)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      signal?.removeEventListener('abort', onAbort)
      reject(failed(describe(error, url), error))
    })
    request.end(body)
  })
}

function failed(message: string, cause?: NodeJS.ErrnoException): TypeError {
  const reason = Object.assign(new Error(message, { cause }), { code: cause?.code ?? 'ECONNABORTED' })
  return new TypeError('fetch failed', { cause: reason })
}

function describe(error: NodeJS.ErrnoException, url: URL): string {
  if (error.code === 'ECONNREFUSED') return `nothing listens on ${url.host}`
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return `unknown host ${url.hostname}`
  if (error.code === 'ECONNRESET') return `${url.host} closed the connection`
  return `${url.host}: ${error.message || error.code}`
}

function respond(
  message: http.IncomingMessage,
  signal: AbortSignal | undefined,
  bounds: AnswerBounds,
): HttpAnswer {
  const { statusCode: status = 0, statusMessage: statusText = '' } = message
  if (status < 200 || status > 599) {
    message.destroy()
    throw failed(`the server's answer, with the status ${status}, is not HTTP`)
  }
  const empty = status === 204 || status === 205 || status === 304
  if (empty) message.destroy()
  const headers = answerHeaders(message)
  const body = empty ? null : createBody(message, headers, signal, bounds)
  return { status, statusText, ok: status < 300, headers, body }
}

function answerHeaders({ rawHeaders }: http.IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    const before = headers.get(name)
    headers.set(name, before === undefined ? rawHeaders[i + 1]! : `${before}, ${rawHeaders[i + 1]!}`)
  }
  return headers
}
