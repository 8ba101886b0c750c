import { END_OF_RUN_LIMITS } from './lock-limit.ts'
import { readEntry, readEnvironment, readLockLimit, type ProcessEntry } from './process-table.ts'

/** What every process that a run starts has in its environment, and what that process starts in turn. */
export const RUN_MARKS = ['OFFSHOOT_RUN_ID', 'OFFSHOOT_OWNER'] as const

type Environment = Readonly<Record<string, string | undefined>>

/** Whether an environment says that a run has started its process. */
export function hasRunMark(environment: Environment): boolean {
  return RUN_MARKS.some((name) => environment[name])
}

/**
 * The outermost process that a run has started, of a process and its ancestors. Where the parent of such a process has
 * ended, the leader of its session leads on: a process cannot enter the session of another.
 */
export function outermostOfRun(pid: number): ProcessEntry | undefined {
  const line = lineOf(pid)
  const last = line.findLast(isOfRun)
  const { session } = last ?? line[0] ?? {}
  const leader = session === undefined || session === last?.pid ? undefined : readEntry(session)
  return leader && isOfRun(leader) ? lineOf(leader.pid).findLast(isOfRun) : last
}

/**
 * The environment of the process above all that a run has started, which no agent has set. Undefined where it cannot be
 * read.
 */
export function environmentAbove(pid: number): Environment | undefined {
  const outermost = outermostOfRun(pid)
  return outermost && readEnvironment(outermost.parentPid)
}

/**
 * Whether a run has started the process. Its environment alone does not say so, as `env -u` cleans it: its limit and its
 * ancestors still tell, and the leaders of their groups and sessions. False where there is no /proc.
 */
export function isStartedByRun(pid: number): boolean {
  const line = lineOf(pid)
  return line.some(isLimited) || hasMark(line)
}

function isOfRun(entry: ProcessEntry): boolean {
  return isLimited(entry) || hasRunMark(readEnvironment(entry.pid) ?? {})
}

/** Whether a process has the limit that every command of a run is given. It cannot take that off. */
export function isLimited({ pid }: Pick<ProcessEntry, 'pid'>): boolean {
  const limit = readLockLimit(pid)
  return limit !== undefined && limit.hard < END_OF_RUN_LIMITS
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

function hasMark(line: readonly ProcessEntry[]): boolean {
  const pids = new Set(line.flatMap(({ pid, group, session }) => [pid, group, session]))
  return [...pids].some((pid) => hasRunMark(readEnvironment(pid) ?? {}))
}
