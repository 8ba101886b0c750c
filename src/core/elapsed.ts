import type { Run } from './run.ts'

/** Time since a run was queued, milliseconds. Never negative: the system clock can be set back. */
export function elapsedMs({ queuedAt, endedAt }: Pick<Run, 'queuedAt' | 'endedAt'>): number {
  return Math.max(0, (endedAt ?? queuedAt) - queuedAt)
}
