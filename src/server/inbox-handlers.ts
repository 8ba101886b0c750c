import type { VerbCommand } from '../runtime/control/verbs.ts'
import { inboxItem } from '../runtime/views/snapshot.ts'
import { editedText } from './masked-answer.ts'
import { perform, type Exchange, type Handlers, type House } from './route-handler.ts'

export const inboxHandlers: Handlers<'getInboxItem' | 'changeInboxItem' | 'withdrawInboxItem'> = {
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
