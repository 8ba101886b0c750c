import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { hasProc } from '../../exec/terminate-processes.ts'
import { readEntry } from '../../exec/process-table.ts'
import type { LeaseRow } from '../../store/port.ts'

/** Permanent identity of a process: pids are reused, but not with the same start time in the same boot. */
export type ProcessIdentity = Pick<LeaseRow, 'host' | 'bootId' | 'pid' | 'pidStart'>

/** The processes of this machine, as the lease of a conversation needs them. */
export interface Processes {
  readonly self: ProcessIdentity
  /** Start time of the process with this pid, in ticks since boot; undefined if there is none. */
  startOf(pid: number): number | undefined
}

export function systemProcesses(): Processes {
  const startOf = hasProc() ? startInProc : startWithoutProc
  const { pid } = process
  const self = { host: `${hostname()}${pidNamespace()}`, bootId: bootId(), pid, pidStart: startOf(pid) ?? 0 }
  return { self, startOf }
}

/** Whether the process belongs to this machine, so that this process could see it. */
export function isHere({ host }: ProcessIdentity, { self }: Processes): boolean {
  return host === self.host
}

/** Whether the process has certainly exited. Unknown for processes of other machines. */
export function hasExited(who: ProcessIdentity, processes: Processes): boolean {
  const { self, startOf } = processes
  if (!isHere(who, processes)) return false
  return who.bootId !== self.bootId || startOf(who.pid) !== who.pidStart
}

/** A zombie does nothing any more. */
function startInProc(pid: number): number | undefined {
  const entry = readEntry(pid)
  return entry && !entry.zombie ? Number(entry.startTime) : undefined
}

function startWithoutProc(pid: number): number | undefined {
  try {
    process.kill(pid, 0)
    return 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 0 : undefined
  }
}

/** The pid namespace of almost every process of a machine (PROC_PID_INIT_INO on Linux). */
const FIRST_NAMESPACE = 'pid:[4026531836]'

/** A container has its own pids: for leases, it is another machine. Empty outside containers. */
function pidNamespace(): string {
  try {
    const namespace = readlinkSync('/proc/self/ns/pid')
    return namespace === FIRST_NAMESPACE ? '' : ` ${namespace}`
  } catch {
    return ''
  }
}

/** Empty if the system has none: then only the pid identifies a process of an earlier boot. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
