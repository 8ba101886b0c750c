import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { joinSockets } from './join-sockets.ts'

/** In a cell: what connects to this port of its loopback is connected to a socket of the host. 0: any free port. */
export async function forward(port: number, socketPath: string): Promise<number> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inside) => {
    joinSockets(inside, connect({ path: socketPath, allowHalfOpen: true }))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
