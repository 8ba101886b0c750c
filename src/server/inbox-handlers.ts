import type { VerbCommand } from '../runtime/control/verbs.ts'
import { inboxItem } from '../runtime/views/snapshot.ts'
import { editedText } from './masked-answer.ts'
import { perform, type Exchange, type Handlers, type ServerContext } from './route-handler.ts'

export const inboxHandlers: Handlers<'getInboxItem' | 'changeInboxItem' | 'withdrawInboxItem'> = {
  getInboxItem: ({ store }, { row }) => inboxItem(store.get('inbox', row.id)!),

  async changeInboxItem(context, { row, input: { text, mode } }) {
    const item = row.id
    const edited = text === undefined ? undefined : await edit(context, row, text)
    return mode ? await change(context, row, { verb: 'inbox.promote', item }) : edited!
  },

  withdrawInboxItem: (context, { row }) => change(context, row, { verb: 'inbox.withdraw', item: row.id }),
}

type ItemRow = Exchange<'getInboxItem'>['row']
type ItemChange =
  | { readonly verb: 'inbox.edit'; readonly item: string; readonly text: string }
  | { readonly verb: 'inbox.promote' | 'inbox.withdraw'; readonly item: string }

function edit(context: ServerContext, row: ItemRow, text: string) {
  const stored = context.store.get('inbox', row.id)?.text ?? ''
  return change(context, row, { verb: 'inbox.edit', item: row.id, text: editedText(context, text, stored) })
}

function change(
  context: ServerContext,
  { branchId: target, conversationId }: ItemRow,
  { verb, ...args }: ItemChange,
) {
  const command = { verb, target, args } as Extract<VerbCommand, { verb: ItemChange['verb'] }>
  return perform(context, conversationId, command)
}
