import type { Socket } from 'node:net'

/**
 * Each gets what the other sends, as fast as it takes it, and its end as an end. Where one breaks off, so does the other.
 * Both must allow half-open connections.
 */
export function joinSockets(a: Socket, b: Socket): void {
  a.pipe(b)
  b.pipe(a)
  breakOffWith(a, b)
  breakOffWith(b, a)
}

function breakOffWith(socket: Socket, other: Socket): void {
  socket.on('error', () => {}) // its 'close' follows
  const closed = () => {
    if (!socket.readableEnded || !socket.writableFinished) other.destroy()
  }
  if (socket.destroyed) closed()
  else socket.once('close', closed)
}
