import { commandToContinue } from '../../core/status-line/paused-below.ts'
import type { RunResult } from '../../runtime/views/run-result.ts'

/** What a run has left paused below it, and the command that goes on with each (docs/output.md). */
export function pausedSubagents(result: Pick<RunResult, 'pausedSubagents'>): readonly object[] {
  return result.pausedSubagents.map(({ id, branchId, agent, description, reason, endReason }) => ({
    task_id: branchId,
    run_id: id,
    agent,
    description,
    reason,
    end_reason: endReason,
    command: commandToContinue(branchId),
  }))
}
