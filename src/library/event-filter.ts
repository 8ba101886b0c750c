import type { OffshootEvent } from '../core/events.ts'
import type { BranchId, ConversationId, RunId } from '../core/ids.ts'
import { isBegunByMessage } from '../runtime/views/runs-of-message.ts'
import type { Reader } from '../store/port.ts'

export interface FilterOptions {
  readonly conversationId: ConversationId
  readonly runId: RunId
  readonly branchId: BranchId
  /** Whether questions of other runs are shown too: whoever answers, answers for the conversation. */
  readonly answers: boolean
}

/**
 * Which events belong to a run and everything below it: its runs, those that followed on its branch by themselves
 * because a report came, and what happens on their branches. Asked in the order of the events.
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

/** The first event of a run on a branch; `input` stands there where a person's message began it. */
function isStart(event: OffshootEvent, branchId: BranchId): event is StartEvent {
  const isFirst = event.type === 'run.started' || event.type === 'run.queued'
  return isFirst && event.from === null && event.branchId === branchId
}
