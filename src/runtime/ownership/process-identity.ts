import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { hasProc } from '../../exec/hunt.ts'
import { readEntry } from '../../exec/processes.ts'
import type { LeaseRow } from '../../store/port.ts'

/** What names one process for good: pids are given out again, but not with the same start time in the same boot. */
export type ProcessIdentity = Pick<LeaseRow, 'host' | 'bootId' | 'pid' | 'pidStart'>

/** The processes of this machine, as the lease of a conversation needs them. */
export interface Processes {
  readonly self: ProcessIdentity
  /** When the process with this pid was started, in ticks since boot; undefined when there is none. */
  startOf(pid: number): number | undefined
}

export function systemProcesses(): Processes {
  const startOf = hasProc() ? startInProc : startWithoutProc
  const { pid } = process
  const self = { host: hostname(), bootId: bootId(), pid, pidStart: startOf(pid) ?? 0 }
  return { self, startOf }
}

/** Whether the process has surely ended. Of a process of another machine nobody can tell. */
export function isGone(who: ProcessIdentity, { self, startOf }: Processes): boolean {
  if (who.host !== self.host) return false
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

/** Empty where the system has none: then a process of before the last start is only found by its pid. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
