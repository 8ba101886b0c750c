import type { Socket } from 'node:net'
import type { Clock } from '../../../core/clock.ts'
import { ToolError } from '../../port.ts'
import { dial } from '../../web/connect.ts'
import { within } from '../../web/deadline.ts'
import type { HostAndPort, Network } from '../../web/network.ts'
import { publicAddresses } from '../../web/public-addresses.ts'
import { bracketed } from './host-rule.ts'
import { parentProxyOf, type ParentProxy } from './parent-proxy.ts'

export interface WaysOutPorts {
  readonly network: Network
  readonly clock: Clock
  /** Of this program: it says whether there is a proxy before the network. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface WayOut {
  readonly socket: Socket
  /** Set where it leads to a proxy, which takes whole URLs. */
  readonly proxy: ParentProxy | undefined
}

/** How the proxy of a cell connects to allowed hosts. What it throws is a ToolError or an error of the connection. */
export class WaysOut {
  readonly #ports: WaysOutPorts

  constructor(ports: WaysOutPorts) {
    this.#ports = ports
  }

  /** For one plain request. */
  async open(target: HostAndPort, signal: AbortSignal): Promise<WayOut> {
    const proxy = parentProxyOf(this.#ports.env, target, 'http')
    return { socket: await this.#connect(target, proxy, signal), proxy }
  }

  /** For anything. */
  async tunnel(target: HostAndPort, signal: AbortSignal): Promise<WayOut> {
    const proxy = parentProxyOf(this.#ports.env, target, 'tunnel')
    const socket = await this.#connect(target, proxy, signal)
    if (proxy) await this.#through(socket, target, proxy, signal)
    return { socket, proxy: undefined }
  }

  /**
   * To the addresses that were looked at, and no others. Where a proxy stands between, it looks the name up; one that leads
   * to no public address here is not handed to it either.
   */
  async #connect(target: HostAndPort, proxy: ParentProxy | undefined, signal: AbortSignal): Promise<Socket> {
    const { network } = this.#ports
    const ports = { ...this.#ports, signal, allowHalfOpen: true }
    if (!proxy) return await dial(await publicAddresses(target.host, network, signal), target.port, ports)
    await publicAddresses(target.host, network, signal).catch(unlessUnknown)
    const { host, port } = proxy
    const addresses = await network.resolve(host)
    return await dial(addresses, port, ports)
  }

  async #through(
    socket: Socket,
    target: HostAndPort,
    { authorization }: ParentProxy,
    signal: AbortSignal,
  ): Promise<void> {
    const path = `${bracketed(target.host)}:${target.port}`
    const headers = { host: path, ...(authorization && { 'proxy-authorization': authorization }) }
    const deadline = { clock: this.#ports.clock, ms: PROXY_MS, what: 'the proxy of this machine', signal }
    try {
      await within(deadline, (bounded) => askFor(socket, path, headers, bounded))
    } catch (error) {
      socket.destroy()
      throw error
    }
  }
}

const PROXY_MS = 15_000

/** Behind a proxy there may be no names to look up. */
function unlessUnknown(error: unknown): void {
  if (error instanceof ToolError && error.code === 'address_refused') throw error
}

function askFor(
  socket: Socket,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const http = process.getBuiltinModule('node:http') // as in model/fetch.ts
  return new Promise((resolve, reject) => {
    const request = http.request({ method: 'CONNECT', path, headers, createConnection: () => socket })
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    const refused = (status: number | undefined) =>
      reject(
        new ToolError('network', `the proxy of this machine answered ${status ?? 'nothing'} for ${path}`),
      )
    request.on('connect', (answer, tunnel, head) => {
      if (answer.statusCode !== 200) return refused(answer.statusCode)
      if (head.length > 0) tunnel.unshift(head)
      resolve()
    })
    request.on('response', (answer) => refused(answer.statusCode))
    request.on('error', reject)
    request.end()
  })
}
