import { bounds } from '../../core/limits.ts'
import { isStopped, runStatuses } from '../../core/run-status.ts'
import type { StoredRun } from '../../core/run.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { hasExited, systemProcesses } from '../../runtime/ownership/process-identity.ts'
import type { Reader } from '../../store/port.ts'

/** Those that have not stopped and that no living process drives: parents first, then what is queued, in its order. */
export function leftRuns(reader: Reader): StoredRun[] {
  const processes = systemProcesses()
  const isOwned = (run: StoredRun) => {
    const lease = reader.get('leases', run.conversationId)
    return lease && systemClock.now() - lease.renewedAt < bounds.leaseMs && !hasExited(lease, processes)
  }
  return runStatuses
    .filter((status) => !isStopped(status))
    .flatMap((status) => reader.find('runs', { where: { status } }))
    .filter((run) => !isOwned(run))
    .toSorted((a, b) => byText(a.conversationId, b.conversationId) || place(a) - place(b))
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Depths are small numbers, times are large ones. */
function place({ status, depth, queuedAt }: StoredRun): number {
  return status === 'queued' ? queuedAt : depth
}
