import { sleep, type Clock } from '../core/clock.ts'
import { bounds } from '../core/limits.ts'
import { carriesMark, listProcesses, readEntry, type ProcessEntry, type ProcessMark } from './processes.ts'
import { systemClock } from './system-clock.ts'

export interface KillTarget {
  /** A process group that we made: the pid of its leader. */
  readonly group?: number
  /** Finds what left the group; only where there is /proc. */
  readonly mark?: ProcessMark
}

export interface KillOptions {
  readonly clock?: Clock
  readonly graceMs?: number
}

/**
 * Ends a process group, what carries the mark, and their descendants: SIGTERM, then SIGKILL after the grace.
 * Resolves when all are gone, with the pids that could not be stopped.
 */
export async function killTree(target: KillTarget, options: KillOptions = {}): Promise<readonly number[]> {
  const clock = options.clock ?? systemClock
  const hunt = createHunt(target)
  // The clock's timers let the process exit; a kill under way must not.
  const hold = setInterval(() => {}, 2 ** 30)
  try {
    hunt.signal('SIGTERM')
    if (await gone(hunt, clock, options.graceMs ?? bounds.killGraceMs, () => {})) return []
    if (await gone(hunt, clock, KILL_WAIT_MS, () => hunt.signal('SIGKILL'))) return []
    return hunt.alive()
  } finally {
    clearInterval(hold)
  }
}

/** Ends every process with `mark=value` in its environment, wherever it went. As `killTree`. */
export function killMarked(
  wanted: { mark: string; value: string },
  options?: KillOptions,
): Promise<readonly number[]> {
  return killTree({ mark: { name: wanted.mark, value: wanted.value } }, options)
}

/** SIGKILL without waiting, for the last moment of our own process. */
export function killMarkedNow(wanted: { mark: string; value: string }): void {
  createHunt({ mark: { name: wanted.mark, value: wanted.value } }).signal('SIGKILL')
}

/** A killed process may be held in the kernel for a moment; longer than this is reported. */
const KILL_WAIT_MS = 2_000
const FIRST_POLL_MS = 5
const LAST_POLL_MS = 100

interface Hunt {
  signal(signal: NodeJS.Signals): void
  alive(): readonly number[]
}

function createHunt(target: KillTarget): Hunt {
  return process.platform === 'linux' ? createLinuxHunt(target) : createGroupHunt(target.group)
}

/** Remembers what it saw: a descendant whose parent died can no longer be recognised by it. */
function createLinuxHunt(target: KillTarget): Hunt {
  const known = new Map<number, string>()
  const find = (): readonly ProcessEntry[] => {
    const found = findTargets(target, known)
    for (const each of found) known.set(each.pid, each.startTime)
    return found
  }
  return {
    signal: (signal) => {
      if (target.group !== undefined && find().some((each) => each.group === target.group))
        send(-target.group, signal)
      // Looked up again: what left the group in the meantime was not reached by its signal.
      for (const each of find()) if (each.group !== target.group) signalEntry(each, signal)
    },
    alive: () => find().map((each) => each.pid),
  }
}

function createGroupHunt(group: number | undefined): Hunt {
  return {
    signal: (signal) => void (group !== undefined && send(-group, signal)),
    alive: () => (group !== undefined && send(-group, 0) ? [group] : []),
  }
}

function findTargets(target: KillTarget, known: ReadonlyMap<number, string>): ProcessEntry[] {
  const living = listProcesses().filter((each) => !each.zombie && each.pid !== process.pid && each.pid > 1)
  const chosen = new Set<number>()
  for (const each of living) if (isTarget(each, target, known)) chosen.add(each.pid)
  for (let before = -1; before !== chosen.size;) {
    before = chosen.size
    for (const each of living) if (chosen.has(each.parentPid)) chosen.add(each.pid)
  }
  return living.filter((each) => chosen.has(each.pid))
}

function isTarget(entry: ProcessEntry, target: KillTarget, known: ReadonlyMap<number, string>): boolean {
  if (target.group !== undefined && entry.group === target.group) return true
  if (known.get(entry.pid) === entry.startTime) return true
  return target.mark !== undefined && carriesMark(entry.pid, target.mark)
}

/** The pid may have been given to somebody else since it was seen. */
function signalEntry(entry: ProcessEntry, signal: NodeJS.Signals): void {
  if (readEntry(entry.pid)?.startTime === entry.startTime) send(entry.pid, signal)
}

/** False when there is no such process, or it is not ours. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

async function gone(hunt: Hunt, clock: Clock, limitMs: number, beforeEach: () => void): Promise<boolean> {
  const end = clock.now() + limitMs
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LAST_POLL_MS)) {
    beforeEach()
    if (hunt.alive().length === 0) return true
    if (clock.now() >= end) return false
    await sleep(clock, Math.min(pollMs, Math.max(1, end - clock.now())))
  }
}
