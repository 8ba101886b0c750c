import type { ConversationId } from '../core/ids.ts'
import type { StoredRun } from '../core/run.ts'
import type { RunRow } from '../protocol/run.ts'
import { runRows } from '../runtime/views/run-rows.ts'
import type { Store } from './directory-runtimes.ts'

/** Runs of one conversation, the oldest first. */
export function rowsOf(
  store: Store,
  id: ConversationId,
  isWanted: (run: StoredRun) => boolean,
): readonly RunRow[] {
  return runRows(store, id, isWanted).rows
}
