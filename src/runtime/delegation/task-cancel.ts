import { z } from 'zod'
import { parseRun } from '../../core/run-steps.ts'
import type { ToolOutput } from '../../core/message.ts'
import { isFinal, state } from '../../core/run-status.ts'
import type { AnyTool } from '../../tools/port.ts'
import { controlTool } from './control-tool.ts'
import { HeldRow } from '../run/held-row.ts'
import { changeRun, type LiveRun } from '../run/live-run.ts'
import { reportFacts } from '../journal/report-text.ts'
import type { Deps } from '../context/deps.ts'
import type { ScopePart } from '../context/scope.ts'
import { reportText } from '../log/stored-events.ts'
import {
  findSubagent,
  noSuch,
  targetInput,
  targetSchema,
  type SubagentLookup,
  type Subagent,
} from './task-target.ts'
import { cancelRuns, type CancelPorts } from '../journal/cancel-runs.ts'

const inputSchema = z.lazy(() => z.strictObject(targetInput()))

export type CancelScope = SubagentLookup & CancelSubtree
type CancelSubtree = ScopePart<CancelPorts, 'below' | 'drives'>

/** `task_cancel {task_id}`: cancels a subagent and its whole subtree, and answers when they have stopped. */
export function createTaskCancel(scope: CancelScope, run: LiveRun): AnyTool {
  return controlTool<z.infer<typeof inputSchema>>({
    name: 'task_cancel',
    verb: 'Cancel',
    inputSchema,
    modelSchema: () => targetSchema({}),
    idempotent: true,
    async execute({ task_id }, signal) {
      const target = findSubagent(scope, run, task_id)
      if (!target) return `not_found: ${noSuch(task_id!)}`
      const wasFinal = isFinal(target.row.status)
      const below = await stopSubtree(scope, run, target, signal)
      const { row } = findSubagent(scope, run, target.row.id)!
      const also = below > 0 ? `; ${below} below it cancelled` : ''
      if (wasFinal || row.status !== 'cancelled')
        return `already_finished: ${row.branchId} is ${row.status}${also}`
      return reportSoFar(scope.deps, row, `cancelled: ${row.branchId}${also}. Its report so far:`)
    },
  })
}

/** Returns how many runs below the target it cancelled. */
async function stopSubtree(
  scope: CancelSubtree,
  run: LiveRun,
  target: Subagent,
  signal: AbortSignal,
): Promise<number> {
  const { conversationId, branchId } = target.row
  const isUnknownToParent = target.branch.parentBranchId !== run.row.branchId
  const tops = target.live ? [target.live] : []
  const below = scope.tree.below(branchId)
  let ended: readonly LiveRun[] = []
  await cancelRuns(scope, {
    conversationId,
    tops,
    reason: { verb: 'cancel', by: 'parent', ...(isUnknownToParent ? { isUnknownToParent } : {}) },
    below: below.filter(({ row }) => !isFinal(row.status)),
    signal,
    write: (change, all) => {
      ended = all
      const held = new HeldRow(parseRun(change.tx.get('runs', target.row.id)!))
      if (!target.live && !isFinal(held.row.status))
        changeRun(change, { held }, state.cancelled('parent'), { row: { stopNo: held.row.stopNo + 1 } })
    },
  })
  return ended.filter((each) => !tops.includes(each)).length
}

function reportSoFar(
  { store, config }: Pick<Deps, 'store' | 'config'>,
  row: Subagent['row'],
  lead: string,
): ToolOutput {
  const whole = reportText(store, row)
  const text = whole.slice(0, config.limits.maxReportTokens * 4).toWellFormed()
  const lacks = text.length < whole.length ? 'rest' : null
  const facts = reportFacts(store, row, { note: row.reportNote, form: 'text', lacks })
  return { text, subagent: { type: 'report', lead, ...facts } }
}
