import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { processIds, readEntry } from './process-table.ts'

/**
 * Which kind of process can still write to a pipe. `command`: one started beside this one, as in `make | offshoot`.
 * `hidden`: possibly one whose descriptors cannot be read, such as sudo. `inherited`: only ancestors of this process,
 * which may keep the pipe open forever. `unknown`: the system cannot tell (no /proc).
 */
export type PipeWriters = 'command' | 'hidden' | 'inherited' | 'unknown'

/**
 * The writers of the pipe that a process reads from a descriptor. Only processes of its session count as commands
 * beside it.
 */
export function pipeWriters(fd: number, pid = process.pid): PipeWriters {
  const own = readEntry(pid)
  const pipe = targetOf(`/proc/${pid}/fd/${fd}`)
  if (!own || pipe === undefined) return 'unknown'
  const above = ancestorsOf(pid)
  const beside = processIds().filter(
    (other) => !above.has(other) && readEntry(other)?.session === own.session,
  )
  const held = beside.map((other) => canWrite(other, pipe))
  if (held.includes(true)) return 'command'
  return held.includes(undefined) ? 'hidden' : 'inherited'
}

/** The process itself and its ancestors. */
function ancestorsOf(pid: number): ReadonlySet<number> {
  const found = new Set<number>() // a pid reused during the scan could create a cycle
  for (let next = pid; next > 0 && !found.has(next); next = readEntry(next)?.parentPid ?? 0) found.add(next)
  return found
}

/** Undefined: its descriptors cannot be read. An exited process holds none. */
function canWrite(pid: number, pipe: string): boolean | undefined {
  try {
    const all = readdirSync(`/proc/${pid}/fd`)
    return all.some((fd) => targetOf(`/proc/${pid}/fd/${fd}`) === pipe && isWritable(pid, fd))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? undefined : false
  }
}

const ACCESS_MODE = 0o3

function isWritable(pid: number, fd: string): boolean {
  try {
    const [, flags = '0'] =
      /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0
  } catch {
    return false // the descriptor was closed during the scan
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined // the descriptor was closed during the scan
  }
}
