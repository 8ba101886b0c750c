import type { BranchId } from '../core/ids.ts'
import { isStopped, type RunStatus } from '../core/run-status.ts'
import type { Run } from '../core/run.ts'
import type { InboxRow } from '../store/port.ts'
import type { Deps } from './deps.ts'
import { addToInbox } from './inbox.ts'
import { place, type LiveRun } from './live-run.ts'
import type { Change } from './recorder.ts'

/** A run, and where this process knows it as the latest of its branch, what it knows of it. */
export interface Target {
  readonly row: Run
  readonly live: LiveRun | undefined
}

/**
 * A message for a run that has not stopped, which is looked at where it is written: what ends later finds the item.
 * @throws what `refusal` makes of a run that has stopped.
 */
export function putMessage(
  change: Change,
  { newId }: Pick<Deps, 'newId'>,
  { row, live }: Target,
  message: Pick<InboxRow, 'mode' | 'text'>,
  refusal: (branchId: BranchId, status: RunStatus) => Error,
): InboxRow {
  const { conversationId, branchId } = row
  if (!live || isStopped(live.row.status)) throw refusal(branchId, live?.row.status ?? row.status)
  const item = { conversationId, branchId, kind: 'user', ...message } as const
  return addToInbox(change, newId, place(live, change.at), item)
}
