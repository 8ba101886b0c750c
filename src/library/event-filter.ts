import type { OffshootEvent } from '../core/events.ts'
import type { BranchId, ConversationId, RunId } from '../core/ids.ts'
import { isBegunByMessage } from '../runtime/views/runs-of-message.ts'
import type { Reader } from '../store/port.ts'

export interface FilterOptions {
  readonly conversationId: ConversationId
  readonly runId: RunId
  readonly branchId: BranchId
  /** Whether to show questions of other runs: answers apply to the whole conversation. */
  readonly answers: boolean
}

/**
 * Selects the events of a run and everything below it: its runs, the runs that its branch started by itself after a
 * report, and events on their branches. Must see the events in order.
 */
export function eventsOfTree(store: Reader, options: FilterOptions): (event: OffshootEvent) => boolean {
  const { conversationId, runId, branchId, answers } = options
  const runs = new Set<RunId>([runId])
  const branches = new Set<BranchId>([branchId])
  for (const run of store.find('runs', { where: { conversationId }, orderBy: 'id' })) {
    if (!run.parentRunId || !runs.has(run.parentRunId)) continue
    runs.add(run.id)
    branches.add(run.branchId)
  }
  let isFollowed: boolean | undefined
  return (event) => {
    if (answers && (event.type === 'approval.requested' || event.type === 'approval.answered')) return true
    if (event.runId === null) return event.branchId === null || branches.has(event.branchId)
    if (event.runId === runId) isFollowed ??= true
    else if (isStart(event, branchId) && event.input !== undefined) isFollowed = false
    else if (isStart(event, branchId) && isFollowed && isBegunByMessage(store, event)) isFollowed = false
    const isBelow = event.parentRunId !== null && runs.has(event.parentRunId)
    if (!runs.has(event.runId) && (isBelow || (isFollowed && isStart(event, branchId)))) {
      runs.add(event.runId)
      if (event.branchId) branches.add(event.branchId)
    }
    return runs.has(event.runId)
  }
}

type StartEvent = Extract<OffshootEvent, { type: 'run.started' | 'run.queued' }>

/** The first event of a run on a branch; `input` comes first if a person's message started the run. */
function isStart(event: OffshootEvent, branchId: BranchId): event is StartEvent {
  const isFirst = event.type === 'run.started' || event.type === 'run.queued'
  return isFirst && event.from === null && event.branchId === branchId
}
