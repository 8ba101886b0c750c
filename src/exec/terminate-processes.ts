import { uptime } from 'node:os'
import { sleep, type Clock } from '../core/clock.ts'
import { keepAlive } from './keep-alive.ts'
import { createLimitTest } from './lock-limit.ts'
import {
  carriesMark,
  listProcesses,
  readEntry,
  readLockLimit,
  type ProcessEntry,
  type ProcessMark,
} from './process-table.ts'

/** Processes to end. A process is identified by pid and start time, never by pid alone. */
export interface HuntTarget {
  /** A process group of ours: the pid of its leader. */
  readonly group?: number | undefined
  /** Finds processes that left the group, by one or more marks in their environment or limit. Only with /proc. */
  readonly mark?: ProcessMark | readonly ProcessMark[] | undefined
  /** Start times by pid; only with /proc. */
  readonly known?: ReadonlyMap<number, string>
}

export interface Hunt {
  signal(signal: NodeJS.Signals): void
  /** Pids of remaining processes; a group id without /proc. */
  alive(): readonly number[]
}

export interface HuntLimits {
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** From SIGKILL on; the kernel may hold a killed process. */
  readonly killMs: number
}

/** A target's processes in the table, and the groups that belong to it entirely. */
export interface Prey {
  readonly processes: readonly ProcessEntry[]
  readonly groups: ReadonlySet<number>
}

/** SIGTERM, then SIGKILL to the remaining ones. Resolves with those that could not be stopped. */
export async function endAll(
  hunt: Hunt,
  clock: Clock,
  { graceMs, killMs }: HuntLimits,
): Promise<readonly number[]> {
  hunt.signal('SIGTERM')
  if (await keepAlive(gone(hunt, clock, graceMs, () => {}))) return []
  if (await keepAlive(gone(hunt, clock, killMs, () => hunt.signal('SIGKILL')))) return []
  return hunt.alive()
}

export function createHunt(target: HuntTarget): Hunt {
  return hasProc() ? createProcHunt(target) : createGroupHunt(target.group)
}

export function hasProc(): boolean {
  return readEntry(process.pid) !== undefined
}

/**
 * Chooses the processes to end: group members, known and marked processes, then all their descendants, and all members
 * of a group whose leader is chosen. Never this process itself.
 */
export function choosePrey(
  table: readonly ProcessEntry[],
  target: HuntTarget,
  isMarked: (entry: ProcessEntry) => boolean,
): Prey {
  const others = table.filter((each) => each.pid !== process.pid && each.pid > 1)
  const chosen = new Set<number>()
  for (const each of others) if (isTarget(each, target, isMarked)) chosen.add(each.pid)
  for (let before = -1; before !== chosen.size;) {
    before = chosen.size
    for (const each of others) if (chosen.has(each.parentPid) || chosen.has(each.group)) chosen.add(each.pid)
  }
  const living = table.filter((each) => !each.zombie)
  const shared = new Set(living.filter((each) => !chosen.has(each.pid)).map((each) => each.group))
  const processes = living.filter((each) => chosen.has(each.pid))
  return {
    processes,
    groups: new Set(processes.map((each) => each.group).filter((group) => group > 1 && !shared.has(group))),
  }
}

/** False: no such process, or not ours. */
export function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

function isTarget(
  entry: ProcessEntry,
  target: HuntTarget,
  isMarked: (entry: ProcessEntry) => boolean,
): boolean {
  if (target.group !== undefined && entry.group === target.group) return true
  if (target.known?.get(entry.pid) === entry.startTime) return true
  return isMarked(entry)
}

/** Remembers earlier scans: a descendant whose parent died cannot be recognised by ancestry. */
function createProcHunt({ group, mark, known }: HuntTarget): Hunt {
  const seen = new Map(known)
  const isMarked = createMarkSearch(mark === undefined ? [] : [mark].flat())
  const find = (): Prey => {
    const prey = choosePrey(listProcesses(), { group, known: seen }, isMarked)
    for (const each of prey.processes) seen.set(each.pid, each.startTime)
    return prey
  }
  return {
    signal: (signal) => {
      const { groups, processes } = find()
      if (processes.length === 0) return
      // a group signal reaches all members at once, so that none can escape by forking
      for (const each of groups) send(-each, signal)
      // scanned again, because the signal missed processes that left the group in the meantime
      for (const each of find().processes) if (!groups.has(each.group)) signalEntry(each, signal)
    },
    alive: () => find().processes.map((each) => each.pid),
  }
}

/** Ticks per second in /proc start times, the same on every Linux that runs Node. */
const TICKS_PER_SECOND = 100

/**
 * Reads an unmarked process only once: only a young process may still be about to get its environment and its limit
 * after a fork.
 */
function createMarkSearch(marks: readonly ProcessMark[]): (entry: ProcessEntry) => boolean {
  if (marks.length === 0) return () => false
  const isInLimit = createLimitTest(marks)
  const others = new Map<number, string>()
  const young = (uptime() - 1) * TICKS_PER_SECOND
  return ({ pid, startTime }) => {
    if (others.get(pid) === startTime) return false
    const inEnvironment = carriesMark(pid, marks)
    if (inEnvironment) return true
    const limit = readLockLimit(pid)
    // all limits are readable; a process of another user cannot be signalled
    if (limit && isInLimit(limit) && send(pid, 0)) return true
    if (inEnvironment === false && Number(startTime) < young) others.set(pid, startTime)
    return false
  }
}

function createGroupHunt(group: number | undefined): Hunt {
  return {
    signal: (signal) => void (group !== undefined && send(-group, signal)),
    alive: () => (group !== undefined && send(-group, 0) ? [group] : []),
  }
}

/** The pid may have been reused since. */
function signalEntry(entry: ProcessEntry, signal: NodeJS.Signals): void {
  if (readEntry(entry.pid)?.startTime === entry.startTime) send(entry.pid, signal)
}

const FIRST_POLL_MS = 5
const LAST_POLL_MS = 100

async function gone(hunt: Hunt, clock: Clock, limitMs: number, beforeEach: () => void): Promise<boolean> {
  const end = clock.now() + limitMs
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LAST_POLL_MS)) {
    beforeEach()
    if (isEmpty(hunt)) return true
    if (clock.now() >= end) return false
    await sleep(clock, Math.min(pollMs, Math.max(1, end - clock.now())))
  }
}

/**
 * Scans twice, because the process table is not read atomically: a child may appear where the scan has already passed.
 */
function isEmpty(hunt: Hunt): boolean {
  return hunt.alive().length === 0 && hunt.alive().length === 0
}
