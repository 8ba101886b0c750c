import type { ConversationId } from '../core/ids.ts'
import type { Run } from '../core/run.ts'
import type { RunRow } from '../protocol/run.ts'
import { runRows } from '../runtime/views/run-rows.ts'
import type { Store } from './workplace.ts'

/** Runs of one conversation, the oldest first. */
export function rowsOf(store: Store, id: ConversationId, isWanted: (run: Run) => boolean): readonly RunRow[] {
  return runRows(store, id, isWanted).rows
}
