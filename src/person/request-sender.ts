import { networkInterfaces } from 'node:os'
import { hasProc } from '../exec/terminate-processes.ts'
import { isStartedByRun } from '../exec/run-marks.ts'
import { findHolders, type SocketPair, type Holders } from '../exec/socket-holders.ts'

/**
 * The sender of a request. `unknown`: a local process that cannot be identified. `hidden`: no visible process holds the
 * connection, but some processes that no run started hide their open files, and one of them may be the sender. An agent
 * can look the same, because a descriptor in transit through a socket is in no process.
 */
export type Sender = 'person' | 'agent' | 'hidden' | 'unknown'

/** System access; tests replace it. */
export interface System {
  readonly canTell: boolean
  holders(connection: SocketPair): Promise<Holders | undefined>
  isAgent(pid: number): boolean
  isHere(address: string): boolean
}

/** A sender, and the process of an agent. */
export interface FoundSender {
  readonly sender: Sender
  readonly agentPid?: number
}

/**
 * Identifies the process at the other end of a connection. If several processes share it, one agent is enough. A
 * process that hides its descriptors (as sshd and browsers do) is not an agent if its ancestors are not; another
 * machine's process is a person with the token.
 */
export async function findSender(connection: SocketPair, system: System = LINUX): Promise<FoundSender> {
  if (!system.canTell) return { sender: 'person' }
  const holders = await system.holders(connection)
  if (!holders) return { sender: system.isHere(connection.own.address) ? 'unknown' : 'person' }
  const candidates = [...holders.found, ...holders.hidden]
  const agentPid = candidates.find((pid) => system.isAgent(pid))
  if (agentPid !== undefined) return { sender: 'agent', agentPid }
  if (holders.found.length > 0) return { sender: 'person' }
  return { sender: candidates.length > 0 ? 'hidden' : 'unknown' }
}

const LINUX: System = {
  canTell: hasProc(),
  holders: findHolders,
  isAgent: isStartedByRun,
  isHere: isOfThisMachine,
}

function isOfThisMachine(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (plain === '::1' || plain.startsWith('127.')) return true
  return Object.values(networkInterfaces()).some((all) => all?.some((each) => each.address === plain))
}
