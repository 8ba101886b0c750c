import { listProcesses, readEntry, readEnvironment, type ProcessEntry } from './processes.ts'

/** What every process that a run starts has in its environment, and what that process starts in turn. */
export const RUN_MARKS = ['OFFSHOOT_RUN_ID', 'OFFSHOOT_OWNER'] as const

type Environment = Readonly<Record<string, string | undefined>>

/** A process that drives runs. A pid alone may have been given to another process since. */
export interface Driver {
  readonly pid: number
  readonly startTime: string
}

/** Whether an environment says that a run has started its process. */
export function hasRunMark(environment: Environment): boolean {
  return RUN_MARKS.some((name) => environment[name])
}

/**
 * The environment of the outermost process with the mark of a run, among a process, its ancestors and the leaders of
 * their groups and sessions. Undefined where none has it, and where there is no /proc.
 */
export function markedEnvironment(pid: number): Environment | undefined {
  return outermostMark(withLeaders(lineOf(pid)))
}

/**
 * Whether a run has started the process. Its environment alone does not say so: `env -u` cleans it, and the shell that
 * had the mark is replaced by the command. Other members of the session and the driver above it still tell.
 */
export function isStartedByRun(pid: number, drivers: readonly Driver[]): boolean {
  const line = lineOf(pid)
  if (outermostMark(withLeaders(line)) !== undefined) return true
  if (hasMarkedSession(line)) return true
  return isBelow(line, drivers)
}

const forPerson = new Set<string>()

/** A process that this one starts for the person, such as a browser, is not of a run. */
export function keepForPerson(pid: number): void {
  const entry = readEntry(pid)
  if (entry) forPerson.add(nameOf(entry))
}

/** The process and its ancestors, the nearest first. */
function lineOf(pid: number): ProcessEntry[] {
  const line: ProcessEntry[] = []
  const seen = new Set<number>() // a pid that is reused while it is read could lead into a circle
  for (let next = readEntry(pid); next && !seen.has(next.pid); next = readEntry(next.parentPid)) {
    seen.add(next.pid)
    line.push(next)
  }
  return line
}

function withLeaders(line: readonly ProcessEntry[]): number[] {
  return [...new Set(line.flatMap(({ pid, group, session }) => [pid, group, session]))].filter(
    (pid) => pid > 0,
  )
}

function outermostMark(pids: readonly number[]): Environment | undefined {
  return pids.map((pid) => readEnvironment(pid) ?? {}).findLast(hasRunMark)
}

/** Each command of a run begins a session of its own, so that all of the session belongs to the run. */
function hasMarkedSession(line: readonly ProcessEntry[]): boolean {
  const sessions = new Set(line.map(({ session }) => session).filter((session) => session > 0))
  return listProcesses().some(
    ({ pid, session }) => sessions.has(session) && hasRunMark(readEnvironment(pid) ?? {}),
  )
}

/** A driver starts the commands of its runs in sessions of their own; what else it starts stays in its session. */
function isBelow(line: readonly ProcessEntry[], drivers: readonly Driver[]): boolean {
  return line.some((above, i) => {
    const child = line[i - 1]
    if (!child || child.session === above.session || forPerson.has(nameOf(child))) return false
    return drivers.some(({ pid, startTime }) => pid === above.pid && startTime === above.startTime)
  })
}

function nameOf({ pid, startTime }: ProcessEntry): string {
  return `${pid} ${startTime}`
}
