import type http from 'node:http'
import type { Socket } from 'node:net'
import { joinSockets } from '../../../exec/sandbox/join-sockets.ts'
import { ToolError } from '../../port.ts'
import type { HostAndPort } from '../../web/network.ts'
import { networkError } from '../../web/network-error.ts'
import type { ConnectionLog } from './connection-log.ts'
import { allowsHost, bracketed, canonicalHost, whyNotAllowed, type HostRule } from './host-rule.ts'
import { passedOn, requestHead } from './proxy-head.ts'
import type { WayOut, WaysOut } from './ways-out.ts'

export interface HostProxyOptions {
  readonly rules: readonly HostRule[]
  /** Of what no rule names, what is allowed now. */
  readonly allows?: ((target: HostAndPort) => boolean) | undefined
  readonly waysOut: WaysOut
  readonly log: ConnectionLog
}

/** Of one cell. Others wait for a place, or get an answer that says so. */
const MAX_CONNECTIONS = 512
const MAX_OPEN = 256
const MAX_HEADER_BYTES = 64 * 1024

/**
 * The proxy through which a cell reaches hosts: those that are allowed, and of these only public addresses, at the moment of
 * connecting. It takes CONNECT, and plain requests with a whole URL. The caller has it listen where only the cell connects.
 */
export function createHostProxy(options: HostProxyOptions): http.Server {
  const { createServer } = process.getBuiltinModule('node:http') // as in model/fetch.ts
  const proxy = new HostProxy(options)
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0, requireHostHeader: false, noDelay: true },
    (request, response) => void proxy.pass(request, response),
  )
  Object.assign(server, { httpAllowHalfOpen: true }) // who has sent all may end, and still gets the answer
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', (client: Socket) => client.unref()) // as the cell, it keeps no program alive
  server.on('connect', (request, client: Socket, head) => void proxy.tunnel(request, client, head))
  return server
}

/** Why nothing is connected, in words, and the status that says it. */
interface No {
  readonly status: number
  readonly why: string
}

class HostProxy {
  readonly #options: HostProxyOptions
  #open = 0

  constructor(options: HostProxyOptions) {
    this.#options = options
  }

  async tunnel({ url = '' }: http.IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    client.on('error', () => {}) // its 'close' follows
    const target = targetOf(url)
    const way = await this.#connect(target, client, (ways, signal) => ways.tunnel(target!, signal))
    if ('why' in way) return void client.resume().end(refusalText(way)) // to see its end
    const { socket: outside } = way
    if (client.destroyed) return void outside.destroy()
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (head.length > 0) outside.write(head)
    joinSockets(client, outside)
  }

  async pass(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    response.on('error', () => {}) // its 'close' follows
    const url = plainUrl(request.url ?? '')
    const target = url && targetOf(`${url.hostname}:${url.port || 80}`)
    const body = requestHead(request)
    if (body === undefined)
      return answer(response, { status: 501, why: 'this transfer encoding is not supported' })
    const way = await this.#connect(target, response, (ways, signal) => ways.open(target!, signal))
    if ('why' in way) return answer(response, way)
    if (response.destroyed) return void way.socket.destroy()
    exchange({ request, response, url: url!, headers: body, ...way })
  }

  /** Asks the rules, then connects, unless the client leaves before. */
  async #connect(
    target: HostAndPort | undefined,
    client: Socket | http.ServerResponse,
    open: (waysOut: WaysOut, signal: AbortSignal) => Promise<WayOut>,
  ): Promise<WayOut | No> {
    const { rules, allows, waysOut } = this.#options
    if (!target) return { status: 400, why: 'a proxy takes CONNECT host:port, or http://host/path' }
    if (!allowsHost(rules, target) && allows?.(target) !== true) {
      return this.#refused(target, whyNotAllowed(target))
    }
    if (this.#open >= MAX_OPEN) return { status: 503, why: `more than ${MAX_OPEN} connections at a time` }
    const gone = new AbortController()
    const leave = () => gone.abort(new ToolError('network', 'the client disconnected'))
    client.once('close', leave)
    this.#open += 1
    try {
      const way = await open(waysOut, gone.signal)
      this.#holds(target, way.socket)
      return way
    } catch (error) {
      this.#open -= 1
      return this.#failed(target, error)
    } finally {
      client.off('close', leave)
    }
  }

  #failed(target: HostAndPort, error: unknown): No {
    const { code, message } = networkError(error, new URL(`http://${nameOf(target)}/`))
    if (code === 'address_refused') {
      return this.#refused(target, message.replace(/;.*/, ', and only public ones are reached'))
    }
    this.#options.log.allowed(target)
    return { status: code === 'timeout' ? 504 : 502, why: message }
  }

  #refused(target: HostAndPort, why: string): No {
    this.#options.log.refused(target, why)
    return { status: 403, why: `the sandbox refused ${nameOf(target)}: ${why}` }
  }

  #holds(target: HostAndPort, outside: Socket): void {
    outside.setNoDelay(true)
    outside.unref()
    const { log } = this.#options
    log.allowed(target)
    log.opened(target, outside)
    outside.once('close', () => (this.#open -= 1))
  }
}

/** One plain request and its answer, on a connection of its own. */
function exchange({
  request,
  response,
  url,
  headers,
  socket,
  proxy,
}: WayOut & {
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
  readonly url: URL
  readonly headers: readonly string[]
}): void {
  const { request: send } = process.getBuiltinModule('node:http') // as in model/fetch.ts
  const path = `${url.pathname}${url.search}`
  const own = proxy?.authorization ? ['proxy-authorization', proxy.authorization] : []
  const outside = send({
    createConnection: () => socket,
    method: request.method,
    path: proxy ? `http://${url.host}${path}` : path,
    headers: ['host', url.host, 'connection', 'close', ...own, ...headers],
    maxHeaderSize: MAX_HEADER_BYTES,
  })
  const fail = (error: Error) => {
    socket.destroy()
    if (response.headersSent) return void (response.writableEnded || response.destroy())
    request.unpipe(outside)
    answer(response, { status: 502, why: networkError(error, url).message })
  }
  outside.on('error', fail)
  outside.on('upgrade', () => fail(new Error('a protocol switch that was not requested')))
  outside.on('response', (message) => {
    message.on('error', fail)
    try {
      response.writeHead(message.statusCode ?? 502, message.statusMessage, passedOn(message))
    } catch (error) {
      return fail(error as Error) // a status that is none
    }
    message.pipe(response)
  })
  response.once('close', () => {
    if (!response.writableFinished) socket.destroy()
  })
  request.pipe(outside)
}

/** `host:port` with the host in its one spelling; undefined: it is none. */
function targetOf(authority: string): HostAndPort | undefined {
  const [, written = '', digits = ''] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(authority) ?? []
  const host = canonicalHost(written)
  const port = Number(digits)
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port }
}

function plainUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && url.username === '' && url.password === '' ? url : undefined
}

function nameOf({ host, port }: HostAndPort): string {
  return `${bracketed(host)}:${port}`
}

/** The last one on its connection: what is left of the body is not read. */
function answer(response: http.ServerResponse, { status, why }: No): void {
  const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }
  response.writeHead(status, headers).end(`offshoot: ${why}\n`)
}

function refusalText({ status, why }: No): string {
  const { STATUS_CODES } = process.getBuiltinModule('node:http')
  const text = `offshoot: ${why}\n`
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}
