import { BY_PROGRAM } from '../core/report/answerer-words.ts'
import { z } from 'zod'
import type { Question } from '../core/run.ts'
import { isStopped } from '../core/run-status.ts'
import type { VerbAnswers } from '../runtime/control/verbs.ts'
import type { LibrarySession } from './library-session.ts'
import { checkOptions, checkText } from './check-options.ts'

export interface QuestionsApi {
  /** Open questions of agents, oldest first: of all conversations of the store, or of one. */
  list(conversationId?: string): Promise<readonly Question[]>
  /**
   * Answers a question of any run, whichever process drives it. `by` is recorded as the author; default: `program`.
   * @throws OffshootError `not_found`; `conflict` with who answered before, and when.
   */
  answer(
    id: string,
    text: string,
    options?: { readonly by?: string | undefined },
  ): Promise<VerbAnswers['answer']>
}

export function openQuestions(session: LibrarySession): QuestionsApi {
  const { store } = session.composed
  return {
    async list(id) {
      session.checkOpen()
      const of = id === undefined ? {} : { conversationId: session.conversationOf(id) }
      const open = store.find('questions', { where: { ...of, answeredAt: null }, orderBy: 'id' })
      return open.filter(({ runId }) => !isStopped(store.get('runs', runId)!.status))
    },
    async answer(id, text, options) {
      const target = checkText(id, 'answer')
      const { by } = checkOptions(optionsSchema, options ?? {}, 'answer')
      const args = { text: checkText(text, 'answer'), by }
      session.checkAsk('question', target)
      return await session.perform({ verb: 'answer', target, args })
    },
  }
}

const optionsSchema = z.strictObject({ by: z.string().min(1).default(BY_PROGRAM) })
