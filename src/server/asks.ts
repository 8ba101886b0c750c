import type { ConversationId } from '../core/ids.ts'
import type { Approval, Question } from '../core/run.ts'
import { isStopped } from '../core/run-status.ts'
import { inLine, approvalRow, inboxItem, questionRow, type LinePlace } from '../runtime/views/snapshot.ts'
import type { VerbCommand } from '../runtime/control/verbs.ts'
import { editedText } from './masked-answer.ts'
import { perform, type Exchange, type Handlers, type House } from './exchange.ts'
import type { Store } from './workplace.ts'

export const askHandlers: Handlers<
  | 'listApprovals'
  | 'answerApproval'
  | 'listQuestions'
  | 'answerQuestion'
  | 'getInboxItem'
  | 'changeInboxItem'
  | 'withdrawInboxItem'
> = {
  listApprovals: ({ store }, { input }) => placed(openApprovals(store, input.conversation), approvalRow),

  async answerApproval(house, { row, input, by }) {
    const offered = house.store.get('approvals', row.id)?.offered?.pattern
    const pattern = input.pattern && offered ? editedText(house, input.pattern, offered) : input.pattern
    const args = { ...input, pattern, by: input.by ?? by }
    return await perform(house, row.conversationId, { verb: 'approve', target: row.id, args })
  },

  listQuestions: ({ store }, { input }) => placed(openQuestions(store, input.conversation), questionRow),

  async answerQuestion(house, { row, input, by }) {
    const { options = [] } = house.store.get('questions', row.id) ?? {}
    const text = options.find((each) => house.secrets.text(each) === input.text) ?? input.text
    const args = { text, by: input.by ?? by }
    return await perform(house, row.conversationId, { verb: 'answer', target: row.id, args })
  },

  getInboxItem: ({ store }, { row }) => inboxItem(store.get('inbox', row.id)!),

  async changeInboxItem(house, { row, input: { text, mode } }) {
    const item = row.id
    const edited = text === undefined ? undefined : await edit(house, row, text)
    return mode ? await change(house, row, { verb: 'inbox.promote', item }) : edited!
  },

  withdrawInboxItem: (house, { row }) => change(house, row, { verb: 'inbox.withdraw', item: row.id }),
}

type ItemRow = Exchange<'getInboxItem'>['row']
type ItemChange =
  | { readonly verb: 'inbox.edit'; readonly item: string; readonly text: string }
  | { readonly verb: 'inbox.promote' | 'inbox.withdraw'; readonly item: string }

function edit(house: House, row: ItemRow, text: string) {
  const stored = house.store.get('inbox', row.id)?.text ?? ''
  return change(house, row, { verb: 'inbox.edit', item: row.id, text: editedText(house, text, stored) })
}

function change(house: House, { branchId: target, conversationId }: ItemRow, { verb, ...args }: ItemChange) {
  const command = { verb, target, args } as Extract<VerbCommand, { verb: ItemChange['verb'] }>
  return perform(house, conversationId, command)
}

/** What people have to answer, the oldest first: in one conversation, or in all. */
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

/** Each with its place among those of its conversation. */
function placed<T extends Approval | Question, R extends object>(
  rows: readonly T[],
  shown: (row: T) => R,
): (R & LinePlace)[] {
  const lines = Map.groupBy(rows, ({ conversationId }) => conversationId)
  return [...lines.values()].flatMap((line) => inLine(line.map(shown)))
}
