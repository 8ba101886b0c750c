import type { RunId } from '../../core/ids.ts'
import { ranStatuses, type ToolCallStatus } from '../../core/run.ts'
import type { Reader } from '../../store/port.ts'

/** Counts the calls in a run's figures: finished and running ones. */
export function countCalls(reader: Reader, runId: RunId): number {
  return ranStatuses.reduce((sum, status) => sum + reader.count('tool_calls', { runId, status }), 0)
}

export function hasRun(status: ToolCallStatus): boolean {
  return (ranStatuses as readonly ToolCallStatus[]).includes(status)
}
