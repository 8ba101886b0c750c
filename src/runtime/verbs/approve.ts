import type { ApprovalId } from '../../core/ids.ts'
import type { ApprovalAnswer } from '../../core/run.ts'
import { isStopped } from '../../core/run-status.ts'
import { notHere, type VerbScope } from './verb.ts'

export interface ApproveAnswer {
  readonly approvalId: ApprovalId
  readonly answer: ApprovalAnswer
  /** Whether no process goes on with the run: it does when somebody continues it. */
  readonly waits: boolean
}

export interface Approved {
  readonly answer: ApprovalAnswer
  readonly by: string
  readonly note?: string | undefined
}

/** Answers a question. @throws OffshootError `conflict` that says who answered before, and when; `not_found`. */
export async function approve(
  { deps, live, settle }: VerbScope,
  id: string,
  { answer, by, note }: Approved,
): Promise<ApproveAnswer> {
  const approval = deps.store.get('approvals', id)
  if (approval?.conversationId !== live.id) throw notHere(id, live.id)
  const run = live.latest(approval.branchId)
  const waits = !run || isStopped(run.row.status) || !live.drives(run)
  const done = { approvalId: approval.id, answer, waits }
  const answered = { answer, by, ...(note ? { note } : {}) }
  await deps.approvals.answer(approval.id, answered, ({ tx }) => settle(tx, done))
  return done
}
