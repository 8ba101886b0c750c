import { z } from 'zod'
import type { Approval, ApprovalAnswer } from '../core/run.ts'
import { isStopped } from '../core/run-status.ts'
import type { GrantScope } from '../runtime/asking/grants.ts'
import type { VerbAnswers } from '../runtime/control/verbs.ts'
import type { LibrarySession } from './library-session.ts'
import { checkOptions, checkText } from './check-options.ts'

export interface ApprovalsApi {
  /** The open questions, oldest first: of all conversations of the store, or of one. */
  list(conversationId?: string): Promise<readonly Approval[]>
  /**
   * Answers a question of any run, whoever drives it. `run`: also for the rest of that run; `always`: of the conversation.
   * @throws OffshootError `not_found`, `conflict` that says who answered before, and when.
   */
  answer(id: string, answer: ApprovalAnswer, options?: AnswerOptions): Promise<VerbAnswers['approve']>
}

export interface AnswerOptions {
  /** Read by the model, where the answer is `deny`. */
  readonly note?: string | undefined
  /** Who answers, for the record. Default: `program`. */
  readonly by?: string | undefined
  /** Of `run` and `always`: what is allowed, in the place of the pattern that was offered. */
  readonly pattern?: string | undefined
  /** Of `always`: in this conversation, which is the default, or in every one of its directory. */
  readonly scope?: GrantScope | undefined
}

export function openApprovals(session: LibrarySession): ApprovalsApi {
  const { store } = session.composed
  return {
    async list(id) {
      session.checkOpen()
      const of = id === undefined ? {} : { conversationId: session.conversationOf(id) }
      const open = store.find('approvals', { where: { ...of, answer: null }, orderBy: 'id' })
      return open.filter(({ runId }) => !isStopped(store.get('runs', runId)!.status))
    },
    async answer(id, answer, options) {
      const target = checkText(id, 'answer')
      const args = checkOptions(answerSchema, { answer, ...options }, 'answer')
      return await session.perform({ verb: 'approve', target, args })
    },
  }
}

const answerSchema = z.strictObject({
  answer: z.enum(['once', 'run', 'always', 'deny']),
  note: z.string().optional(),
  by: z.string().min(1).default('program'),
  pattern: z.string().optional(),
  scope: z.enum(['conversation', 'project']).optional(),
})
