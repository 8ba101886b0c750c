import type { Socket } from 'node:net'
import type { ReachedHost } from '../../command-cell.ts'
import type { HostAndPort } from '../../web/network.ts'

/** Of each kind: a command can ask for any number of names, and none of them hides what it has reached. */
const MAX_ENTRIES = 100

interface Counted {
  readonly target: HostAndPort
  sent: number
  received: number
}

/** Hosts, ports and numbers of bytes, and nothing of what was said. */
export class ConnectionLog {
  readonly #allowed = new Map<string, ReachedHost>()
  readonly #refused = new Map<string, ReachedHost>()
  readonly #open = new Map<Socket, Counted>()

  refused(target: HostAndPort, why: string): void {
    add(this.#refused, { ...target, refused: why, sent: 0, received: 0 })
  }

  /** Whether it can be reached or not. */
  allowed(target: HostAndPort, bytes = { sent: 0, received: 0 }): void {
    add(this.#allowed, { ...target, refused: null, ...bytes })
  }

  /** `outside`: the connection to it, of which nothing counts that has passed before. */
  opened(target: HostAndPort, outside: Socket): void {
    this.#open.set(outside, { target, sent: outside.bytesWritten, received: outside.bytesRead })
    outside.once('close', () => {
      this.#count(outside)
      this.#open.delete(outside)
    })
  }

  /** All since this was last called. */
  take(): readonly ReachedHost[] {
    for (const outside of this.#open.keys()) this.#count(outside)
    const all = [...this.#allowed.values(), ...this.#refused.values()]
    this.#allowed.clear()
    this.#refused.clear()
    return all
  }

  #count(outside: Socket): void {
    const counted = this.#open.get(outside)
    if (!counted) return
    const { bytesWritten, bytesRead } = outside
    const bytes = { sent: bytesWritten - counted.sent, received: bytesRead - counted.received }
    counted.sent = bytesWritten
    counted.received = bytesRead
    if (bytes.sent > 0 || bytes.received > 0) this.allowed(counted.target, bytes)
  }
}

function add(entries: Map<string, ReachedHost>, { sent, received, ...about }: ReachedHost): void {
  const key = `${about.host} ${about.port}`
  const known = entries.get(key)
  if (!known && entries.size === MAX_ENTRIES) return
  entries.set(key, {
    ...about,
    sent: sent + (known?.sent ?? 0),
    received: received + (known?.received ?? 0),
  })
}
