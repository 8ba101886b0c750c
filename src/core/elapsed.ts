import type { Run } from './run.ts'

/** How long a run has taken since it was queued. Milliseconds. Never below 0: the clock of the machine can be set back. */
export function elapsedMs({ queuedAt, endedAt }: Pick<Run, 'queuedAt' | 'endedAt'>): number {
  return Math.max(0, (endedAt ?? queuedAt) - queuedAt)
}
