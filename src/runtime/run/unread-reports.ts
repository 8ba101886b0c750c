import type { StoredRun } from '../../core/run.ts'
import type { Reader } from '../../store/port.ts'
import { readParts } from './messages.ts'

/**
 * Counts the reports after the last answer on the branch of a paused run: delivered, but read by no request. A run that
 * pauses for its budget has already taken them from its inbox.
 */
export function unreadReports(
  reader: Reader,
  { branchId, status }: Pick<StoredRun, 'branchId' | 'status'>,
): number {
  if (status !== 'paused') return 0
  const where = { branchId, role: 'assistant' } as const
  const [answer] = reader.find('messages', { where, orderBy: 'position', descending: true, limit: 1 })
  const after = answer ? { after: answer.position } : {}
  const since = reader.find('messages', { where: { branchId, role: 'user' }, orderBy: 'position', ...after })
  return since.flatMap(({ id }) => readParts(reader, id).filter(({ type }) => type === 'report')).length
}
