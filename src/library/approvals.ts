import { BY_PROGRAM } from '../core/report/answerer-words.ts'
import { z } from 'zod'
import type { Approval, ApprovalAnswer } from '../core/run.ts'
import { isStopped } from '../core/run-status.ts'
import type { GrantScope } from '../runtime/asking/grants.ts'
import type { VerbAnswers } from '../runtime/control/verbs.ts'
import type { LibrarySession } from './library-session.ts'
import { checkOptions, checkText } from './check-options.ts'

export interface ApprovalsApi {
  /** Open approvals, oldest first: of all conversations of the store, or of one. */
  list(conversationId?: string): Promise<readonly Approval[]>
  /**
   * Answers an approval of any run, whichever process drives it. `run` also covers the rest of that run; `always`
   * covers the conversation. @throws OffshootError `not_found`; `conflict` with who answered before, and when.
   */
  answer(id: string, answer: ApprovalAnswer, options?: AnswerOptions): Promise<VerbAnswers['approve']>
}

export interface AnswerOptions {
  /** Shown to the model if the answer is `deny`. */
  readonly note?: string | undefined
  /** Recorded as the author of the answer. Default: `program`. */
  readonly by?: string | undefined
  /** For `run` and `always`: the allowed pattern, instead of the offered one. */
  readonly pattern?: string | undefined
  /** For `always`: this conversation (default), or every conversation of its directory. */
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
      session.checkAsk('approval', target)
      return await session.perform({ verb: 'approve', target, args })
    },
  }
}

const answerSchema = z.strictObject({
  answer: z.enum(['once', 'run', 'always', 'deny']),
  note: z.string().optional(),
  by: z.string().min(1).default(BY_PROGRAM),
  pattern: z.string().optional(),
  scope: z.enum(['conversation', 'project']).optional(),
})
