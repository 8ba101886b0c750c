import { readFileSync, readdirSync } from 'node:fs'

/** A mark is an environment variable of each process started for its owner. */
export interface ProcessMark {
  readonly name: string
  readonly value: string
}

export interface ProcessEntry {
  readonly pid: number
  readonly parentPid: number
  readonly group: number
  /** The pid of the session leader; a process cannot join another session. */
  readonly session: number
  /** Clock ticks since boot; with the pid, a permanent identity. */
  readonly startTime: string
  readonly zombie: boolean
}

/** A process may raise the soft limit up to the hard one, and lower both. */
export interface LockLimit {
  readonly soft: bigint
  readonly hard: bigint
}

/** Every visible process; empty without /proc. */
export function listProcesses(): ProcessEntry[] {
  return processIds().flatMap((pid) => readEntry(pid) ?? [])
}

/** One process; undefined if it has exited. */
export function readEntry(pid: number): ProcessEntry | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // the name is in parentheses and may contain anything, including parentheses
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {
    pid,
    parentPid: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: fields[19] ?? '',
    zombie: fields[0] === 'Z' || fields[0] === 'X',
  }
}

/**
 * Whether the process was started with one of the marks. False for another user's process, whose environment is
 * unreadable. Undefined for an empty environment, which a process has during exec.
 */
export function carriesMark(pid: number, marks: ProcessMark | readonly ProcessMark[]): boolean | undefined {
  const text = readText(`/proc/${pid}/environ`)
  if (text === undefined) return false
  if (text === '') return undefined
  const entries = new Set(text.split('\0'))
  return [marks].flat().some(({ name, value }) => entries.has(`${name}=${value}`))
}

/** The initial environment of a process; undefined if unreadable. */
export function readEnvironment(pid: number): Readonly<Record<string, string>> | undefined {
  const text = readText(`/proc/${pid}/environ`)
  if (text === undefined) return undefined
  const entries = text.split('\0').map((entry) => [entry, entry.indexOf('=')] as const)
  return Object.fromEntries(
    entries.filter(([, at]) => at > 0).map(([entry, at]) => [entry.slice(0, at), entry.slice(at + 1)]),
  )
}

/** The file lock limits of a process; undefined if missing or unreadable. */
export function readLockLimit(pid: number): LockLimit | undefined {
  const limits = readText(`/proc/${pid}/limits`) ?? ''
  const [, soft, hard] = /^Max file locks +(\d+) +(\d+)/m.exec(limits) ?? []
  return soft && hard ? { soft: BigInt(soft), hard: BigInt(hard) } : undefined
}

/** The numbers in a line of a process's status, such as `NSpgid`; undefined if the line is missing. */
export function readStatus(pid: number, name: string): readonly number[] | undefined {
  const line = readText(`/proc/${pid}/status`)
    ?.split('\n')
    .find((each) => each.startsWith(`${name}:`))
  return line
    ?.slice(name.length + 1)
    .trim()
    .split(/\s+/)
    .map(Number)
}

/** Pids of all visible processes; empty without /proc. */
export function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Of every thread of a process, the oldest first; undefined where the system does not tell. */
export function childrenOf(pid: number): number[] | undefined {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    const texts = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'))
    return texts.flatMap((text) => text.split(' ').filter(Boolean).map(Number))
  } catch {
    return undefined
  }
}
