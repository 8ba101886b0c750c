import { hasProc, send, type HuntTarget } from './terminate-processes.ts'
import { listProcesses, readEntry, type ProcessMark } from './process-table.ts'

/**
 * Messages of the owner to its guard: a process group leader has started or ended; a temporary directory is in use or
 * removed; the owner exits cleanly.
 */
export type GuardMessage =
  | { readonly type: 'started'; readonly pid: number; readonly startTime: string }
  | { readonly type: 'ended'; readonly pid: number }
  | { readonly type: 'held' | 'released'; readonly directory: string }
  | { readonly type: 'closing' }

/** One line of the pipe. The start time is empty without /proc. */
export function writeGuardMessage(message: GuardMessage): string {
  switch (message.type) {
    case 'started':
      return `started ${message.pid} ${message.startTime}\n`
    case 'ended':
      return `ended ${message.pid}\n`
    case 'held':
    case 'released':
      return `${message.type} ${encodeURIComponent(message.directory)}\n`
    case 'closing':
      return 'closing\n'
  }
}

export interface Roster {
  /** Handles one line of the pipe; returns whether the owner is closing. */
  push(line: string): 'closing' | undefined
  /** Processes to end now. */
  targets(): readonly HuntTarget[]
  /** Directories to remove when all of them have ended. */
  directories(): readonly string[]
}

/** The guard's list of running groups. Marked processes are not listed: they are looked up when they are ended. */
export function createRoster(mark: ProcessMark, proc = hasProc()): Roster {
  const known = new Map<number, string>()
  const held = new Set<string>()
  const ended = proc ? (pid: number) => endedKnown(known, pid) : (pid: number) => endedGroup(known, pid)
  return {
    push: (line) => {
      const [type, what = '', startTime = ''] = line.split(' ')
      if (type === 'started') known.set(Number(what), startTime)
      if (type === 'ended') ended(Number(what))
      if (type === 'held') held.add(decodeURIComponent(what))
      if (type === 'released') held.delete(decodeURIComponent(what))
      return type === 'closing' ? type : undefined
    },
    targets: () => (proc ? [{ mark, known }] : [...known.keys()].map((group) => ({ group }))),
    directories: () => [...held],
  }
}

/**
 * Remembers the processes that a leader leaves in its group by their own start times, because the group id may be
 * reused.
 */
function endedKnown(known: Map<number, string>, leader: number): void {
  known.delete(leader)
  if (!send(-leader, 0)) return
  for (const [pid, startTime] of known) if (readEntry(pid)?.startTime !== startTime) known.delete(pid)
  const left = listProcesses().filter((each) => each.group === leader && !each.zombie)
  if (left.some((each) => each.pid === leader)) return // another process by now
  for (const each of left) known.set(each.pid, each.startTime)
}

function endedGroup(known: Map<number, string>, leader: number): void {
  if (!send(-leader, 0)) known.delete(leader)
}
