import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { endianness } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { processIds } from './process-table.ts'

export interface SocketAddress {
  readonly address: string
  readonly port: number
}

/** One end of a TCP connection, from its own side. */
export interface SocketPair {
  readonly own: SocketAddress
  readonly other: SocketAddress
}

/** Local processes that hold one end of a connection. */
export interface Holders {
  readonly found: readonly number[]
  /** Processes of the socket's user with unreadable descriptors. Empty if a holder was found. */
  readonly hidden: readonly number[]
}

/** Undefined: no socket of this machine (of this network namespace) is that end. Linux only. */
export async function findHolders(connection: SocketPair): Promise<Holders | undefined> {
  const socket = findSocket(connection)
  if (!socket) return undefined
  const found: number[] = []
  const unreadable: number[] = []
  for (const [i, pid] of processIds().entries()) {
    if (i % PAUSE_EVERY === 0) await setImmediate() // there can be thousands of descriptors
    const holds = holdsSocket(pid, socket.inode)
    if (holds) found.push(pid)
    if (holds === undefined) unreadable.push(pid)
  }
  return { found, hidden: found.length > 0 ? [] : unreadable.filter((pid) => isOfUser(pid, socket.user)) }
}

const PAUSE_EVERY = 32

interface SocketRow {
  readonly inode: string
  readonly user: string
}

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

function findSocket({ own, other }: SocketPair): SocketRow | undefined {
  const wanted = `${shown(own)} ${shown(other)}`
  for (const table of TABLES)
    for (const line of linesOf(table).slice(1)) {
      const [, local = '', remote = '', , , , , user = '', , inode = '0'] = line.trim().split(/\s+/)
      if (inode !== '0' && `${shown(endpointOf(local))} ${shown(endpointOf(remote))}` === wanted)
        return { inode, user }
    }
  return undefined
}

/** As the kernel writes it: four-byte words in the machine's byte order, then the port. */
function endpointOf(text: string): SocketAddress {
  const [hex = '', port = ''] = text.split(':')
  const words = (hex.match(/.{8}/g) ?? []).map((word) => inOrder(word.match(/../g)!))
  const bytes = words.flat()
  const address =
    bytes.length === 4
      ? bytes.map((byte) => Number.parseInt(byte, 16)).join('.')
      : (bytes.join('').match(/.{4}/g) ?? []).join(':')
  return { address, port: Number.parseInt(port, 16) }
}

function inOrder(bytes: readonly string[]): readonly string[] {
  return endianness() === 'LE' ? bytes.toReversed() : bytes
}

/** One spelling per address: an IPv4-mapped IPv6 address equals the IPv4 one. */
function shown({ address, port }: SocketAddress): string {
  const plain = address.replace(/%.*$/, '')
  const [, mapped] = /^(?:::|(?:0+:){5})ffff:(.+)$/i.exec(plain) ?? []
  const v4 = mapped?.includes('.') ? mapped : mapped && dotted(mapped)
  if (v4 ?? !plain.includes(':')) return `${v4 ?? plain} ${port}`
  return `${URL.parse(`http://[${plain}]`)?.hostname ?? plain} ${port}`
}

function dotted(groups: string): string {
  const bytes = groups.split(':').flatMap((group) => group.padStart(4, '0').match(/../g) ?? [])
  return bytes.map((byte) => Number.parseInt(byte, 16)).join('.')
}

/** Undefined: its descriptors are unreadable. An exited process holds none. */
function holdsSocket(pid: number, inode: string): boolean | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).some(
      (fd) => targetOf(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`,
    )
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? undefined : false
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined // the descriptor was closed during the scan
  }
}

function isOfUser(pid: number, user: string): boolean {
  const [, ...ids] = (linesOf(`/proc/${pid}/status`).find((line) => line.startsWith('Uid:')) ?? '').split(
    /\s+/,
  )
  return ids.includes(user)
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n')
  } catch {
    return []
  }
}
