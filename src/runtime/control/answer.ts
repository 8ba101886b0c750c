import type { QuestionId } from '../../core/ids.ts'
import type { QuestionAnswer } from '../asking/questions.ts'
import type { Deps } from '../context/deps.ts'
import { notHere, waits, type VerbScope } from './verb-scope.ts'

export interface AnswerAnswer {
  readonly questionId: QuestionId
  /** Whether no process drives the run: the answer applies when it is continued. */
  readonly waits: boolean
}

/** Answers a question of an agent. @throws OffshootError `conflict` with who answered before, and when; `not_found`. */
export async function answer(
  { deps, live, settle }: VerbScope<Pick<Deps, 'questions' | 'store'>>,
  id: string,
  given: QuestionAnswer,
): Promise<AnswerAnswer> {
  const question = deps.store.get('questions', id)
  if (question?.conversationId !== live.id) throw notHere(id, live.id)
  const done = { questionId: question.id, waits: waits(live, question) }
  await deps.questions.answer(question.id, given, ({ tx }) => settle(tx, done))
  return done
}
