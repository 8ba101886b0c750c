import net from 'node:net'
import type { Clock } from '../../core/clock.ts'
import { within } from './deadline.ts'
import type { Network, HostAndPort } from './network.ts'
import { hostOf } from './page-url.ts'

const CONNECT_MS = 5_000
const MAX_ADDRESSES = 4

/**
 * Connects to one of the given addresses, in order, without name lookups. For https, the certificate must be valid for
 * the URL's host name, whatever the environment says.
 */
export async function connect(
  url: URL,
  addresses: readonly string[],
  { network, clock, signal }: { network: Network; clock: Clock; signal: AbortSignal },
): Promise<net.Socket> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const socket = await dial(addresses, port, { network, clock, signal })
  return url.protocol === 'https:' ? await secure(socket, url, network, signal) : socket
}

interface DialPorts {
  readonly network: Network
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Whether the socket stays open for what is still to be sent when the other side has ended. */
  readonly allowHalfOpen?: boolean
}

/** Connects to one of the given addresses, in order. */
export async function dial(
  addresses: readonly string[],
  port: number,
  ports: DialPorts,
): Promise<net.Socket> {
  const { network, clock, signal, allowHalfOpen = false } = ports
  const deadline = { clock, ms: CONNECT_MS, what: 'connecting' }
  const socket = await firstOf(addresses, signal, (address) =>
    within({ ...deadline, signal }, (bounded) =>
      open({ ...network.reach(address, port), allowHalfOpen }, bounded),
    ),
  )
  if (signal.aborted) socket.destroy()
  signal.throwIfAborted()
  return socket
}

async function firstOf(
  addresses: readonly string[],
  signal: AbortSignal,
  attempt: (address: string) => Promise<net.Socket>,
): Promise<net.Socket> {
  const tried = addresses.slice(0, MAX_ADDRESSES)
  for (const address of tried.slice(0, -1)) {
    const socket = await attempt(address).catch(() => undefined)
    if (socket) return socket
    signal.throwIfAborted()
  }
  return attempt(tried.at(-1) ?? '')
}

function open(
  endpoint: HostAndPort & { readonly allowHalfOpen: boolean },
  signal: AbortSignal,
): Promise<net.Socket> {
  return ready(net.connect(endpoint), 'connect', signal)
}

function secure(
  socket: net.Socket,
  url: URL,
  { trusted }: Network,
  signal: AbortSignal,
): Promise<net.Socket> {
  const host = hostOf(url)
  const tls = process.getBuiltinModule('node:tls') // loaded late: it takes as long to load as all tools together
  const secured = tls.connect({
    socket,
    ...(net.isIP(host) === 0 && { servername: host }),
    ...(trusted !== undefined && { ca: trusted }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    checkServerIdentity: (_, certificate) => tls.checkServerIdentity(host, certificate),
  })
  return ready(secured, 'secureConnect', signal)
}

/** Handles errors until the socket is closed: an unhandled one would end the process. */
function ready<S extends net.Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      socket.destroy()
      reject(signal.reason as Error)
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once(event, () => {
      signal.removeEventListener('abort', onAbort)
      resolve(socket)
    })
    socket.on('error', (error) => {
      signal.removeEventListener('abort', onAbort)
      reject(error)
    })
    socket.once('close', () => reject(new ConnectionEnded()))
  })
}

/** The other side closed the connection without an error. */
class ConnectionEnded extends Error {
  readonly code = 'ECONNRESET'
}
