import type { ApprovalId } from '../../core/ids.ts'
import type { ApprovalAnswer } from '../../core/run.ts'
import type { Extent } from '../asking/grants.ts'
import type { Deps } from '../context/deps.ts'
import { notHere, waits, type VerbScope } from './verb-scope.ts'

export interface ApproveAnswer {
  readonly approvalId: ApprovalId
  readonly answer: ApprovalAnswer
  /** Whether no process drives the run: the answer applies when it is continued. */
  readonly waits: boolean
}

export interface Approved extends Extent {
  readonly by: string
  readonly note?: string | undefined
}

/**
 * Answers an approval. @throws OffshootError `conflict` with who answered before, and when; `not_found`; `usage` for
 * more than can be granted.
 */
export async function approve(
  { deps, live, settle }: VerbScope<Pick<Deps, 'approvals' | 'store'>>,
  id: string,
  { note, ...given }: Approved,
): Promise<ApproveAnswer> {
  const approval = deps.store.get('approvals', id)
  if (approval?.conversationId !== live.id) throw notHere(id, live.id)
  const done = { approvalId: approval.id, answer: given.answer, waits: waits(live, approval) }
  const answered = { ...given, ...(note ? { note } : {}) }
  await deps.approvals.answer(approval.id, answered, ({ tx }) => settle(tx, done))
  return done
}
