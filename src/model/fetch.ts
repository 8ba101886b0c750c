import http from 'node:http'
import https from 'node:https'
import { answerBounds, type AnswerBounds } from './answer.ts'
import { bodyStream } from './body.ts'

export type Fetch = typeof globalThis.fetch

const MAX_REDIRECTS = 5
/** Shorter than servers keep a connection, so that no request goes out on one that is just being closed. */
const IDLE_MS = 4_000

/**
 * A `fetch` over node:http(s) with connections of its own that are kept and used again: less CPU and far fewer sockets
 * than the global one for many short requests (docs/dependencies.md). It does what model providers need and no more:
 * a body is text or bytes, a redirect is followed on the same origin only, proxies are not used. Failures to connect
 * are the global one's (`TypeError: fetch failed` with a cause that says which host); a body that breaks off errors its
 * stream, and so does one that is longer than its bounds. Idle connections do not keep the process alive.
 */
export function createFetch(bounds: AnswerBounds = answerBounds): Fetch {
  const keep = { keepAlive: true, timeout: IDLE_MS }
  const agents = { 'http:': new http.Agent(keep), 'https:': new https.Agent(keep) }
  return async (input, init = {}) => {
    const signal = init.signal ?? undefined
    signal?.throwIfAborted()
    const call: Call = {
      url: new URL(input instanceof Request ? input.url : input),
      method: (init.method ?? 'GET').toUpperCase(),
      headers: headersOf(init.headers),
      body: bodyOf(init.body),
      signal,
      agents,
    }
    return respond(await follow(call), signal, bounds)
  }
}

interface Call {
  readonly url: URL
  readonly method: string
  readonly headers: http.OutgoingHttpHeaders
  readonly body: string | Uint8Array | undefined
  readonly signal: AbortSignal | undefined
  readonly agents: { readonly 'http:': http.Agent; readonly 'https:': https.Agent }
}

function headersOf(headers: RequestInit['headers']): http.OutgoingHttpHeaders {
  const entries =
    headers instanceof Headers || Array.isArray(headers) ? headers : Object.entries(headers ?? {})
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
  let { url } = call
  for (let redirects = 0; ; redirects++) {
    const response = await send({ ...call, url })
    const target = redirectTarget(response, url, call.method)
    if (!target) return response
    // not read to its end, which might never come
    response.destroy()
    if (target.origin !== url.origin) throw failed(`${url.host} redirects to another host, ${target.host}`)
    if (redirects === MAX_REDIRECTS) throw failed(`${url.host} redirects more than ${MAX_REDIRECTS} times`)
    url = target
  }
}

/** Only where the request stays the same: 307 and 308, and the others for a GET. */
function redirectTarget(
  { statusCode = 0, headers }: http.IncomingMessage,
  url: URL,
  method: string,
): URL | null {
  if (!headers.location || ![301, 302, 303, 307, 308].includes(statusCode)) return null
  return statusCode >= 307 || method === 'GET' ? URL.parse(headers.location, url.href) : null
}

function send({ url, method, headers, body, signal, agents }: Call): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:'
    if (!secure && url.protocol !== 'http:') throw failed(`${url.protocol} is not http: or https:`)
    const request = (secure ? https : http).request(url, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: agents[url.protocol as 'http:' | 'https:'],
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
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return `the host ${url.hostname} is not known`
  if (error.code === 'ECONNRESET') return `${url.host} closed the connection`
  return `${url.host}: ${error.message || error.code}`
}

function respond(
  message: http.IncomingMessage,
  signal: AbortSignal | undefined,
  bounds: AnswerBounds,
): Response {
  const status = message.statusCode ?? 0
  const empty = status === 204 || status === 205 || status === 304
  try {
    const headers = new Headers()
    for (let i = 0; i < message.rawHeaders.length; i += 2) {
      headers.append(message.rawHeaders[i]!, message.rawHeaders[i + 1]!)
    }
    const head = { status, statusText: message.statusMessage ?? '', headers }
    if (empty) message.destroy()
    return new Response(empty ? null : bodyStream(message, signal, bounds), head)
  } catch (error) {
    message.destroy()
    throw failed(`the server's answer, with the status ${status}, is not HTTP: ${(error as Error).message}`)
  }
}
