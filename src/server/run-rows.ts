import type { ConversationId } from '../core/ids.ts'
import type { StoredRun } from '../core/run.ts'
import type { RunRow } from '../protocol/run.ts'
import { runRows } from '../runtime/views/run-rows.ts'
import { statusLinesOf } from '../runtime/views/status-lines.ts'
import { isDriven } from './left-behind.ts'
import type { ServerContext } from './route-handler.ts'

/** Runs of one conversation, oldest first; each branch's latest has its status line. */
export function rowsOf(
  { store, clock }: Pick<ServerContext, 'clock' | 'store'>,
  id: ConversationId,
  isWanted: (run: StoredRun) => boolean,
): readonly RunRow[] {
  const { rows } = runRows(store, id, isWanted)
  const lines = statusLinesOf(store, id, isDriven({ store, clock }, id))
  return rows.map((row) => {
    const statusLine = lines.get(row.id)
    return statusLine ? { ...row, statusLine } : row
  })
}
