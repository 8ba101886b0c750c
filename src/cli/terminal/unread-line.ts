import { unreadWords } from '../../core/status-line/status-line.ts'
import type { RunResult } from '../../runtime/views/run-result.ts'
import { holdsUnread, unreadOf } from '../../runtime/views/status-lines.ts'
import type { Reader } from '../../store/port.ts'
import { continueText } from './continue-text.ts'

/**
 * What waits for a run that is done or paused, because a pause holds it back, and the command that brings it:
 * `1 report waits to be read: offshoot continue brn_…`. undefined: nothing waits.
 */
export function unreadLine(
  store: Reader,
  { branchId, status }: Pick<RunResult, 'branchId' | 'status'>,
): string | undefined {
  const words = holdsUnread({ status }) ? unreadWords(unreadOf(store, { branchId, status })) : null
  return words === null ? undefined : `${words}: ${continueText(store, branchId)}`
}
