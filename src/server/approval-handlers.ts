import type { LinePlace } from '../runtime/asking/person-waits.ts'
import type { ConversationId } from '../core/ids.ts'
import type { Approval, Question } from '../core/run.ts'
import { isStopped } from '../core/run-status.ts'
import { everAsked } from '../runtime/views/asks.ts'
import { inLine, approvalRow, questionRow } from '../runtime/views/snapshot.ts'
import { editedPattern } from './masked-answer.ts'
import { perform, type Handlers } from './route-handler.ts'
import type { Store } from './directory-runtimes.ts'

export const approvalHandlers: Handlers<
  'listApprovals' | 'answerApproval' | 'listQuestions' | 'answerQuestion' | 'listAsks'
> = {
  listApprovals: ({ store }, { input }) => placed(openApprovals(store, input.conversation), approvalRow),

  async answerApproval(context, { row, input, by }) {
    const offered = context.store.get('approvals', row.id)?.offered?.pattern
    const pattern = input.pattern && offered ? editedPattern(context, input.pattern, offered) : input.pattern
    const args = { ...input, pattern, by: input.by ?? by }
    return await perform(context, row.conversationId, { verb: 'approve', target: row.id, args })
  },

  listQuestions: ({ store }, { input }) => placed(openQuestions(store, input.conversation), questionRow),

  async answerQuestion(context, { row, input, by }) {
    const { options = [] } = context.store.get('questions', row.id) ?? {}
    const text = options.find((each) => context.secrets.text(each) === input.text) ?? input.text
    const args = { text, by: input.by ?? by }
    return await perform(context, row.conversationId, { verb: 'answer', target: row.id, args })
  },

  listAsks: ({ store }, { row, input }) => everAsked(store, row.id, input.number),
}

/** Open asks, oldest first: of one conversation, or of all. */
export function openAsks(store: Store, id?: ConversationId): readonly (Approval | Question)[] {
  return [...openApprovals(store, id), ...openQuestions(store, id)]
}

function openApprovals(store: Store, id: ConversationId | undefined): Approval[] {
  const of = id === undefined ? {} : { conversationId: id }
  return ofOpenRuns(store, store.find('approvals', { where: { ...of, answer: null }, orderBy: 'id' }))
}

function openQuestions(store: Store, id: ConversationId | undefined): Question[] {
  const of = id === undefined ? {} : { conversationId: id }
  return ofOpenRuns(store, store.find('questions', { where: { ...of, answeredAt: null }, orderBy: 'id' }))
}

function ofOpenRuns<T extends Approval | Question>(store: Store, rows: readonly T[]): T[] {
  return rows.filter(({ runId }) => !isStopped(store.get('runs', runId)!.status))
}

/** Each with its place within its conversation. */
function placed<T extends Approval | Question, R extends object>(
  rows: readonly T[],
  shown: (row: T) => R,
): (R & LinePlace)[] {
  const lines = Map.groupBy(rows, ({ conversationId }) => conversationId)
  return [...lines.values()].flatMap((line) => inLine(line.map(shown)))
}
