import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { findHolders, type SocketPair } from './socket-holders.ts'

const servers: Server[] = []
const clients: ChildProcess[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.kill('SIGKILL')
  for (const server of servers.splice(0)) server.close()
})

async function listen(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A process that connects; `then` runs once it has connected. */
async function connected(
  host: string,
  port: number,
  then = '',
): Promise<{ pid: number; connection: SocketPair }> {
  const accepted = once(servers.at(-1)!, 'connection') as Promise<[Socket]>
  const script = `const s = require('net').connect(${port}, '${host}', () => { ${then} }); s.on('error', () => {})`
  const client = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
  clients.push(client)
  const [socket] = await accepted
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket
  const own = { address: remoteAddress, port: remotePort }
  return { pid: client.pid!, connection: { own, other: { address: localAddress, port: localPort } } }
}

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.1', '::ffff:127.0.0.1'],
  ['::1', '::1'],
  ['::', '127.0.0.1'],
  ['::', '::1'],
])('a server on %s finds the process that connected to %s', async (host, called) => {
  const port = await listen(host)
  const { pid, connection } = await connected(called, port)
  expect(await findHolders(connection)).toEqual({ found: [pid], hidden: [] })
})

test('finds every process that shares a socket', async () => {
  const port = await listen('127.0.0.1')
  const accepted = once(servers.at(-1)!, 'connection') as Promise<[Socket]>
  const client = spawn('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}; sleep 1000 & echo ok; wait`])
  clients.push(client)
  const [socket] = await accepted
  await once(client.stdout, 'data')
  const own = { address: socket.remoteAddress!, port: socket.remotePort! }
  const holders = await findHolders({ own, other: { address: '127.0.0.1', port } })
  expect(holders?.found).toHaveLength(2)
  expect(holders?.found).toContain(client.pid)
  process.kill(
    holders!.found.find((pid) => pid !== client.pid)!,
    'SIGKILL',
  )
})

test('finds nothing for an exited process or for a socket that never existed', async () => {
  const port = await listen('127.0.0.1')
  const { connection } = await connected('127.0.0.1', port)
  const [client] = clients
  client!.kill('SIGKILL')
  await once(client!, 'exit')
  expect(await findHolders(connection)).toBeUndefined()
  const own = { address: '127.0.0.1', port: 1 }
  expect(await findHolders({ own, other: { address: '127.0.0.1', port } })).toBeUndefined()
})
