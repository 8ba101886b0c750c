import type { StoredRun } from '../../src/core/run.ts'
import { isStopped } from '../../src/core/run-status.ts'
import type { Stored } from './world.ts'

/** Invariant P6: what goes on below a run that is cancelled. */
export function openBelow(stored: Stored, { id }: Pick<StoredRun, 'id'>): StoredRun[] {
  return stored.find('runs', { where: { parentRunId: id } }).flatMap((child) => {
    const below = openBelow(stored, child)
    return isStopped(child.status) ? below : [child, ...below]
  })
}
