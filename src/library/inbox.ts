import type { InboxRow } from '../store/port.ts'
import { resolveId } from '../runtime/views/resolve-id.ts'
import { waitingItems } from '../runtime/run/inbox.ts'
import { branchOf } from '../runtime/control/verb-scope.ts'
import type { VerbAnswers } from '../runtime/control/verbs.ts'
import type { LibrarySession } from './library-session.ts'
import { withCallHints } from './call-hint.ts'
import { checkText } from './check-options.ts'

/**
 * Unread messages of a branch, addressed by branch id, by a run on it, or by conversation (its main branch). A change
 * fails with `conflict` after the item was read or withdrawn, and with `not_found` for an item of another branch.
 */
export interface InboxApi {
  /** In reading order. @throws OffshootError `not_found` */
  list(target: string): Promise<readonly InboxRow[]>
  /** Replaces the text of a person's message. Reports cannot be edited. */
  edit(target: string, itemId: string, text: string): Promise<VerbAnswers['inbox.edit']>
  withdraw(target: string, itemId: string): Promise<VerbAnswers['inbox.withdraw']>
  /** Delivers it at the next turn instead of when the branch is idle. */
  promote(target: string, itemId: string): Promise<VerbAnswers['inbox.promote']>
  /** Withdraws all messages of people; results and notes stay. */
  clear(target: string): Promise<VerbAnswers['inbox.clear']>
}

export function openInbox(session: LibrarySession): InboxApi {
  const { store } = session.composed
  return {
    async list(id) {
      session.checkOpen()
      const target = checkText(id, 'inbox.list')
      const { conversation } = withCallHints(() => resolveId(store, target))
      return waitingItems(store, branchOf(store, conversation.id, target))
    },
    edit: async (id, itemId, text) =>
      await session.perform({
        verb: 'inbox.edit',
        target: checkText(id, 'inbox.edit'),
        args: { item: checkText(itemId, 'inbox.edit'), text: checkText(text, 'inbox.edit') },
      }),
    withdraw: async (id, itemId) =>
      await session.perform({
        verb: 'inbox.withdraw',
        target: checkText(id, 'inbox.withdraw'),
        args: { item: checkText(itemId, 'inbox.withdraw') },
      }),
    promote: async (id, itemId) =>
      await session.perform({
        verb: 'inbox.promote',
        target: checkText(id, 'inbox.promote'),
        args: { item: checkText(itemId, 'inbox.promote') },
      }),
    clear: async (id) =>
      await session.perform({ verb: 'inbox.clear', target: checkText(id, 'inbox.clear'), args: null }),
  }
}
