import type { Clock } from '../core/clock.ts'
import { bounds } from '../core/limits.ts'
import { createHunt, endAll } from './terminate-processes.ts'
import type { ProcessMark } from './process-table.ts'
import { systemClock } from './system-clock.ts'

export interface KillTarget {
  /** A process group of ours: the pid of its leader. */
  readonly group?: number
  /** Finds processes that left the group; only with /proc. */
  readonly mark?: ProcessMark | readonly ProcessMark[]
}

export interface KillOptions {
  readonly clock?: Clock
  readonly graceMs?: number
}

/** The kernel may hold a killed process for a moment; a process that survives longer is reported. */
const KILL_WAIT_MS = 2_000

/**
 * Ends a process group, marked processes, and their descendants: SIGTERM, then SIGKILL after the grace period. Resolves
 * when all are gone, with the pids that could not be stopped.
 */
export function killTree(target: KillTarget, options: KillOptions = {}): Promise<readonly number[]> {
  const limits = { graceMs: options.graceMs ?? bounds.killGraceMs, killMs: KILL_WAIT_MS }
  return endAll(createHunt(target), options.clock ?? systemClock, limits)
}

/**
 * Ends every process with the mark in its environment, like `killTree`. Several values share one scan, because each
 * scan reads the whole process table; without values there is no scan.
 */
export async function killMarked(
  { mark, values }: { mark: string; values: readonly string[] },
  options?: KillOptions,
): Promise<readonly number[]> {
  if (values.length === 0) return []
  return await killTree({ mark: values.map((value) => ({ name: mark, value })) }, options)
}

/** SIGKILL without waiting, for the last moment of our own process. */
export function killMarkedNow(wanted: { mark: string; value: string }): void {
  createHunt({ mark: { name: wanted.mark, value: wanted.value } }).signal('SIGKILL')
}
