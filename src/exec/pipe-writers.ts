import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { processIds, readEntry } from './process-table.ts'

/**
 * Who can still write to a pipe. `command`: a process beside this one, as in `make | offshoot`. `hidden`: perhaps one
 * whose descriptors cannot be read, as of sudo. `inherited`: only processes that this one descends from, which may keep
 * it open for ever. `unknown`: the system does not say (no /proc).
 */
export type PipeWriters = 'command' | 'hidden' | 'inherited' | 'unknown'

/** The writers of the pipe that a process reads at a descriptor. Only processes of its session count as commands beside it. */
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

/** The process itself among them. */
function ancestorsOf(pid: number): ReadonlySet<number> {
  const found = new Set<number>() // a pid that is reused while it is read could lead into a circle
  for (let next = pid; next > 0 && !found.has(next); next = readEntry(next)?.parentPid ?? 0) found.add(next)
  return found
}

/** Undefined: its descriptors cannot be read. A process that has ended holds none. */
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
    return false // it was closed
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined // it was closed
  }
}
