import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Access } from './access.ts'
import { checkSender, type Names } from './host-and-origin.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { Problem, problemBody, problemOf } from './problem.ts'

/** Refuses requests without a route in the same order as all others: sender, token, then the request. */
export interface Unread {
  /** For a parsed request; true: it was answered. */
  refuses(incoming: IncomingMessage, outgoing: ServerResponse): boolean
  /** For CONNECT. */
  refuseTunnel(incoming: IncomingMessage, socket: Duplex): void
  /** For requests that Node's parser rejects. */
  refuseBroken(error: ParseError, socket: Duplex): void
}

type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array }

/** The sender's headers, one by one as they were sent. */
interface Head {
  readonly target: string
  /** Alternating names and values. */
  readonly headers: readonly string[]
}

export function createUnread(names: Names, access: Access): Unread {
  const problem = (head: Head, refused: Problem): Problem => {
    try {
      checkNames(head, names)
      checkToken(head, access)
      return refused
    } catch (error) {
      return problemOf(error)
    }
  }
  return {
    refuses(incoming, outgoing) {
      const head = headOf(incoming)
      const refused = isPath(head.target) ? foreign(head, names) : problem(head, NO_PATH)
      if (!refused) return false
      const { headers, body } = answerOf(refused)
      outgoing.writeHead(refused.status, headers)
      outgoing.end(body)
      incoming.resume() // the body is discarded
      return true
    },
    refuseTunnel(incoming, socket) {
      socket.on('error', () => {}) // the client may have disconnected
      end(socket, problem(headOf(incoming), NO_TUNNEL))
    },
    refuseBroken(error, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      const [status, refused] = BROKEN[error.code ?? ''] ?? [400, NO_HTTP]
      const head = status === 400 ? headIn(error.rawPacket) : undefined
      if (head) end(socket, problem(head, refused))
      else end(socket, refused, status)
    },
  }
}

const NO_PATH = new Problem(400, 'malformed', 'the request has no path')
const NO_TUNNEL = new Problem(400, 'malformed', 'this server is not a proxy')
const NO_HTTP = new Problem(400, 'malformed', 'this is not HTTP')

const BROKEN: Readonly<Record<string, readonly [number, Problem]>> = {
  HPE_HEADER_OVERFLOW: [431, new Problem(400, 'too_large', 'the headers are too large')],
  ERR_HTTP_REQUEST_TIMEOUT: [408, new Problem(400, 'malformed', 'the request is incomplete')],
}

/** Before a URL is created from the request, which some hosts make impossible. */
function foreign(head: Head, names: Names): Problem | undefined {
  try {
    checkNames(head, names)
    return undefined
  } catch (error) {
    return problemOf(error)
  }
}

/** @throws Problem 403 */
function checkNames(head: Head, names: Names): void {
  const [, named] = /^\w+:\/\/([^/?#]*)/.exec(head.target) ?? [] // a proxy request: it takes precedence over the header
  const hosts = [...all(head, 'host'), ...(named === undefined ? [] : [named])]
  const sender = { hosts: [...new Set(hosts)], origins: all(head, 'origin') }
  checkSender({ ...sender, site: undefined, isApi: false }, names)
}

/** @throws Problem 401 */
function checkToken(head: Head, access: Access): void {
  access.check(all(head, 'authorization')[0])
}

function all({ headers }: Head, name: string): string[] {
  return headers.filter((_, i) => i % 2 === 1 && headers[i - 1]!.toLowerCase() === name)
}

function headOf({ url = '', rawHeaders }: IncomingMessage): Head {
  return { target: url, headers: rawHeaders }
}

/** As far as a truncated or malformed request can be parsed: undefined if it does not look like a request. */
function headIn(packet: Uint8Array = new Uint8Array()): Head | undefined {
  const [text = ''] = Buffer.from(packet)
    .toString('latin1')
    .split(/\r?\n\r?\n/, 1)
  const [first = '', ...lines] = text.split(/\r?\n/)
  const [, target] = /^[^\s]+ (.*) HTTP\/\d/s.exec(first) ?? []
  if (target === undefined) return undefined
  const headers = lines.flatMap((line) => {
    const colon = line.indexOf(':')
    return colon > 0 ? [line.slice(0, colon), line.slice(colon + 1).trim()] : []
  })
  return { target, headers }
}

/** A path, or a full URL as sent to a proxy. */
function isPath(target: string): boolean {
  const isWhole = /^https?:\/\//i.test(target)
  if (!isWhole && !target.startsWith('/')) return false
  if (/^[^?]*\\/.test(target)) return false // it would be read as a slash
  return URL.canParse(isWhole ? target : `http://localhost${target}`)
}

function answerOf(problem: Problem) {
  const body = JSON.stringify(problemBody(problem))
  const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return { headers: { ...SECURITY_HEADERS, ...length }, body }
}

function end(socket: Duplex, problem: Problem, status: number = problem.status): void {
  const { headers, body } = answerOf(problem)
  const lines = Object.entries({ ...headers, connection: 'close' }).map((line) => `${line.join(': ')}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}
