import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CellSockets } from '../../../exec/sandbox/cell-sockets.ts'
import type { Guard } from '../../../exec/start-guard.ts'
import { joinSockets } from '../../../exec/sandbox/join-sockets.ts'
import { dial } from '../../web/connect.ts'
import { ConnectionLog } from './connection-log.ts'
import type { HostRule } from './host-rule.ts'
import { createHostProxy } from './host-proxy.ts'
import { WaysOut, type WaysOutPorts } from './ways-out.ts'

export interface CellNetworkOptions extends WaysOutPorts {
  readonly rules: readonly HostRule[]
  /** Of services on this machine's loopback. */
  readonly ports: readonly number[]
  /** That of this program's own server, which no cell reaches. */
  readonly ownPort: () => number | undefined
  /** Removes the names of the sockets if this program ends before the cell has them. */
  readonly guard?: Guard | undefined
}

/** What one cell can reach. */
export interface CellNetwork {
  /** To be shown in the cell. */
  readonly sockets: CellSockets
  readonly log: ConnectionLog
  /** Takes the sockets' names away: the cell that has them keeps them, and nobody else finds them. */
  hide(): void
  /** Ends it with every connection. */
  close(): void
}

/** A socket's path has at most 107 bytes. */
const LONGEST_DIRECTORY = 60
const LOOPBACK = '127.0.0.1'

/** @throws an error of the file system. */
export async function openCellNetwork(options: CellNetworkOptions): Promise<CellNetwork> {
  const log = new ConnectionLog()
  const base = tmpdir().length > LONGEST_DIRECTORY ? '/tmp' : tmpdir()
  const directory = join(base, `offshoot-cell-${randomBytes(8).toString('hex')}`)
  const held = options.guard?.hold(directory)
  mkdirSync(directory, { mode: 0o700 })
  const hide = () => {
    rmSync(directory, { recursive: true, force: true })
    held?.release()
  }
  const proxy = join(directory, 'proxy')
  const ports = new Map(options.ports.map((port) => [port, join(directory, String(port))]))
  const waysOut = new WaysOut(options)
  const servers: (readonly [Server, string])[] = [
    [createHostProxy({ rules: options.rules, waysOut, log }), proxy],
    ...[...ports].map(([port, path]) => [bridge(port, log, options), path] as const),
  ]
  const clients = new Set<Socket>()
  const close = () => {
    hide()
    for (const [server] of servers) server.close()
    for (const client of clients) client.destroy()
  }
  try {
    await Promise.all(servers.map(([server, path]) => listen(server, path, clients)))
  } catch (error) {
    close()
    throw error
  }
  return { sockets: { proxy, ports }, log, hide, close }
}

async function listen(server: Server, path: string, clients: Set<Socket>): Promise<void> {
  server.on('connection', (client: Socket) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
  })
  server.listen(path)
  await once(server, 'listening')
  server.unref()
}

/** Connects what comes to one port of this machine's loopback. */
function bridge(port: number, log: ConnectionLog, options: CellNetworkOptions): Server {
  const target = { host: LOOPBACK, port }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    client.unref()
    client.on('error', () => {}) // its 'close' follows
    if (options.ownPort() === port) {
      log.refused(target, 'the server of Offshoot listens there')
      return void client.destroy()
    }
    const gone = new AbortController()
    client.once('close', () => gone.abort(new Error('the client disconnected')))
    log.allowed(target)
    const dialled = dial([LOOPBACK], port, { ...options, signal: gone.signal, allowHalfOpen: true })
    void dialled.then(
      (outside) => {
        outside.unref()
        log.opened(target, outside)
        joinSockets(client, outside)
      },
      () => client.destroy(),
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  return server
}

const MAX_CONNECTIONS = 256
