import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** The longest wait. */
const LONGEST_WAIT_MS = 120_000

let entered = 0

/**
 * The name of a place in the writers' queue: `TIME-PID-START-NUMBER-MACHINE`. Names sort by time. The rest identifies
 * the waiting process, so that others notice when it exits.
 */
export function placeName(): string {
  return [Date.now(), process.pid, startOf(process.pid) ?? 0, ++entered, machine()].join('-')
}

/**
 * Whether this place is abandoned. A local process is looked up with its start time, because pids are reused. For any
 * other process, only the age of the name counts; a name from the far future comes from a wrong clock.
 */
export function isLeft(name: string): boolean {
  const [time, pid, start, , where] = name.split('-')
  if (where === machine() && String(startOf(Number(pid))) !== start) return true
  return !(Math.abs(Date.now() - Number(time)) <= LONGEST_WAIT_MS)
}

let known: string | undefined

/** Host, boot and pid namespace: processes with the same ones see each other. */
function machine(): string {
  return (known ??= createHash('sha256')
    .update([hostname(), textOf(bootId), textOf(pidNamespace)].join(' '))
    .digest('hex')
    .slice(0, 12))
}

const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
const pidNamespace = () => readlinkSync('/proc/self/ns/pid')

/** Empty if the system has no such file. */
function textOf(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** In ticks since boot, 0 if unknown; undefined for an exited process. */
function startOf(pid: number): number | undefined {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (stat === '') return hasProc() ? undefined : startWithoutProc(pid)
  // the program name is in brackets and can contain anything
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const isZombie = fields[0] === 'Z' || fields[0] === 'X'
  return isZombie ? undefined : Number(fields[19])
}

function hasProc(): boolean {
  return textOf(() => readFileSync('/proc/self/stat', 'utf8')) !== ''
}

function startWithoutProc(pid: number): number | undefined {
  try {
    process.kill(pid, 0)
    return 0
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? 0 : undefined
  }
}
