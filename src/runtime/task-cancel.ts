import { z } from 'zod'
import { isFinal, isStopped, state } from '../core/run-status.ts'
import type { AnyTool } from '../tools/port.ts'
import { unlessAborted } from '../loop/aborted.ts'
import { controlTool } from './control-tool.ts'
import { cancelPaused } from './end-run.ts'
import { changeRun, stopRun, type LiveRun } from './live-run.ts'
import { labelledReport } from './reports.ts'
import type { Scope } from './scope.ts'
import { messageText } from './stored-events.ts'
import { findTarget, noSuch, targetInput, targetSchema, type Subagent } from './task-target.ts'

const inputSchema = z.strictObject(targetInput)

/** `task_cancel {task_id}`: ends a subagent and all that is below it, and answers when they have stopped (runtime.md §4). */
export function createTaskCancel(scope: Scope, run: LiveRun): AnyTool {
  return controlTool<z.infer<typeof inputSchema>>({
    name: 'task_cancel',
    verb: 'Cancel',
    inputSchema,
    jsonSchema: targetSchema({}),
    idempotent: true,
    async execute({ task_id }, signal) {
      const target = findTarget(scope, run, task_id)
      if (!target) return `not_found: ${noSuch(task_id!)}`
      const wasFinal = isFinal(target.row.status)
      const below = await stopSubtree(scope, run, target, signal)
      const { row } = findTarget(scope, run, target.row.id)!
      const also = below > 0 ? `; ${below} below it cancelled` : ''
      if (wasFinal || row.status !== 'cancelled')
        return `already_finished: ${row.branchId} is ${row.status}${also}`
      return `cancelled: ${row.branchId}${also}. Its report so far:\n${reportSoFar(scope, row)}`
    },
  })
}

/** Returns how many below the target it ended. */
async function stopSubtree(
  scope: Scope,
  run: LiveRun,
  target: Subagent,
  signal: AbortSignal,
): Promise<number> {
  const { deps, tree } = scope
  const { branchId } = target.row
  const below = tree.below(branchId).filter(({ row }) => !isFinal(row.status))
  const above = target.live && !isFinal(target.live.row.status) ? [target.live] : []
  const untold = target.branch.parentBranchId !== run.row.branchId
  for (const each of above) stopRun(each, { verb: 'cancel', by: 'parent', ...(untold ? { untold } : {}) })
  for (const each of below) stopRun(each, { verb: 'cancel', by: 'parent' })
  const live = [...below, ...above].filter(({ row }) => !isStopped(row.status))
  await unlessAborted(Promise.all(live.map((each) => each.stopped)), signal, deps.clock, 0)
  await deps.recorder.record(run.row.conversationId, (change) => {
    for (const each of [...below, ...above]) cancelPaused(change, deps, each)
    const stored = { row: change.tx.get('runs', target.row.id)! }
    if (!target.live && !isFinal(stored.row.status))
      changeRun(change, stored, state.cancelled('parent'), { stopNo: stored.row.stopNo + 1 })
  })
  return below.filter(({ row }) => row.status === 'cancelled').length
}

function reportSoFar({ deps }: Scope, row: Subagent['row']): string {
  const whole = row.reportMessageId ? messageText(deps.store, row.reportMessageId) : ''
  const text = whole.slice(0, deps.config.limits.maxReportTokens * 4).toWellFormed()
  const cut = text.length < whole.length ? `\n${CUT}` : ''
  return `${labelledReport(row, text, row.reportNote)}${cut}`
}

const CUT = 'Only its beginning; `task_output` with this task_id reads the whole.'
