import { END_OF_RUN_LIMITS } from './lock-limit.ts'
import { readEntry, readEnvironment, readLockLimit, type ProcessEntry } from './process-table.ts'

/** Variables in the environment of every process that a run starts, and of its children. */
export const RUN_MARKS = ['OFFSHOOT_RUN_ID', 'OFFSHOOT_OWNER'] as const

type Environment = Readonly<Record<string, string | undefined>>

/** Whether an environment belongs to a process started by a run. */
export function hasRunMark(environment: Environment): boolean {
  return RUN_MARKS.some((name) => environment[name])
}

/**
 * The outermost process started by a run among a process and its ancestors. If the parent of such a process has exited,
 * the search continues at its session leader: a process cannot join another session.
 */
export function outermostOfRun(pid: number): ProcessEntry | undefined {
  const line = lineOf(pid)
  const last = line.findLast(isOfRun)
  const { session } = last ?? line[0] ?? {}
  const leader = session === undefined || session === last?.pid ? undefined : readEntry(session)
  return leader && isOfRun(leader) ? lineOf(leader.pid).findLast(isOfRun) : last
}

/**
 * The environment of the process above everything that a run started, which no agent controls. Undefined if unreadable.
 */
export function environmentAbove(pid: number): Environment | undefined {
  const outermost = outermostOfRun(pid)
  return outermost && readEnvironment(outermost.parentPid)
}

/**
 * Whether a run started the process. Its own environment proves nothing, because `env -u` clears it; its limit, its
 * ancestors, and the leaders of their groups and sessions also count. False without /proc.
 */
export function isStartedByRun(pid: number): boolean {
  const line = lineOf(pid)
  return line.some(isLimited) || hasMark(line)
}

function isOfRun(entry: ProcessEntry): boolean {
  return isLimited(entry) || hasRunMark(readEnvironment(entry.pid) ?? {})
}

/** Whether a process has the limit of a run's commands, which it cannot raise. */
export function isLimited({ pid }: Pick<ProcessEntry, 'pid'>): boolean {
  const limit = readLockLimit(pid)
  return limit !== undefined && limit.hard < END_OF_RUN_LIMITS
}

/** The process and its ancestors, nearest first. */
function lineOf(pid: number): ProcessEntry[] {
  const line: ProcessEntry[] = []
  const seen = new Set<number>() // a pid reused while it is read could create a cycle
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
