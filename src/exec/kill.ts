import type { Clock } from '../core/clock.ts'
import { bounds } from '../core/limits.ts'
import { createHunt, endAll } from './terminate-processes.ts'
import type { ProcessMark } from './process-table.ts'
import { systemClock } from './system-clock.ts'

export interface KillTarget {
  /** A process group that we made: the pid of its leader. */
  readonly group?: number
  /** Finds what left the group; only where there is /proc. */
  readonly mark?: ProcessMark | readonly ProcessMark[]
}

export interface KillOptions {
  readonly clock?: Clock
  readonly graceMs?: number
}

/** A killed process may be held in the kernel for a moment; longer than this is reported. */
const KILL_WAIT_MS = 2_000

/**
 * Ends a process group, what carries the mark, and their descendants: SIGTERM, then SIGKILL after the grace.
 * Resolves when all are gone, with the pids that could not be stopped.
 */
export function killTree(target: KillTarget, options: KillOptions = {}): Promise<readonly number[]> {
  const limits = { graceMs: options.graceMs ?? bounds.killGraceMs, killMs: KILL_WAIT_MS }
  return endAll(createHunt(target), options.clock ?? systemClock, limits)
}

/**
 * Ends every process with the mark in its environment, wherever it went. As `killTree`. Several values are one hunt, and
 * none is no hunt: each hunt reads the whole process table.
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
