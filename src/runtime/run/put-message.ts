import type { BranchId, NewId } from '../../core/ids.ts'
import type { Author } from '../../core/message.ts'
import { isStopped, type RunStatus } from '../../core/run-status.ts'
import type { Run } from '../../core/run.ts'
import type { InboxRow } from '../../store/port.ts'
import { addToInbox } from './inbox.ts'
import { eventScope, type LiveRun } from './live-run.ts'
import type { Change } from '../log/recorder.ts'

/** A run, and its in-memory state if this process holds it as the latest run of its branch. */
export interface Target {
  readonly row: Run
  readonly live: LiveRun | undefined
}

interface NewMessage extends Pick<InboxRow, 'mode' | 'text'> {
  readonly author: Author
  /** The error for a stopped run. */
  readonly refusal: (branchId: BranchId, status: RunStatus) => Error
}

/**
 * Puts a message into the inbox of an active run. The status is checked in the same change, so a run that stops later
 * finds the item. @throws the result of `refusal` for a stopped run.
 */
export function putMessage(
  change: Change,
  newId: NewId,
  { row, live }: Target,
  { refusal, ...message }: NewMessage,
): InboxRow {
  const { conversationId, branchId } = row
  if (!live || isStopped(live.row.status)) throw refusal(branchId, live?.row.status ?? row.status)
  const item = { conversationId, branchId, kind: 'user', ...message } as const
  return addToInbox(change, newId, eventScope(live, change.at), item)
}
