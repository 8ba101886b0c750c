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
 * The environment of the outermost process with the mark of a run, among a process, its ancestors and the leaders of
 * their groups and sessions. Undefined where none has it, and where there is no /proc.
 */
export function markedEnvironment(pid: number): Environment | undefined {
  return outermostMark(lineOf(pid))
}

/**
 * Whether a run has started the process. Its environment alone does not say so, as `env -u` cleans it: its limit and its
 * ancestors still tell, and the leaders of their groups and sessions. False where there is no /proc.
 */
export function isStartedByRun(pid: number): boolean {
  const line = lineOf(pid)
  return line.some(isLimited) || outermostMark(line) !== undefined
}

function isLimited({ pid }: ProcessEntry): boolean {
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

function outermostMark(line: readonly ProcessEntry[]): Environment | undefined {
  const pids = new Set(line.flatMap(({ pid, group, session }) => [pid, group, session]))
  return [...pids].map((pid) => readEnvironment(pid) ?? {}).findLast(hasRunMark)
}
