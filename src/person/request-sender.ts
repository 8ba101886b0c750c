import { networkInterfaces } from 'node:os'
import { hasProc } from '../exec/terminate-processes.ts'
import { isStartedByRun } from '../exec/run-marks.ts'
import { findHolders, type SocketPair, type Holders } from '../exec/socket-holders.ts'

/**
 * Who sends a request. `unknown`: a process of this machine that cannot be found. `hidden`: nobody is seen to hold the
 * connection, and some processes that no run has started hide what they hold. One of them may be it. An agent can look
 * the same: a descriptor that it has sent through a socket and not received yet is in no process.
 */
export type Sender = 'person' | 'agent' | 'hidden' | 'unknown'

/** What is read of the system; tests give their own. */
export interface System {
  readonly canTell: boolean
  holders(connection: SocketPair): Promise<Holders | undefined>
  isAgent(pid: number): boolean
  isHere(address: string): boolean
}

/** A sender, and which process of an agent it is. */
export interface FoundSender {
  readonly sender: Sender
  readonly agentPid?: number
}

/**
 * Who has the other end of a connection. Of several processes that share it one agent is enough. A process that hides
 * its descriptors (sshd does, and so do browsers) is no agent by its ancestors; another machine's is a person with the token.
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
