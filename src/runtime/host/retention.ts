import type { Conversation } from '../../core/conversation.ts'
import type { ConversationId } from '../../core/ids.ts'
import { isFinal } from '../../core/run-status.ts'
import type { Reader, Store } from '../../store/port.ts'
import type { Ownership } from '../ownership/leases.ts'

/** What of the store may go. */
export interface Retention {
  /** Conversations in which nothing has changed since. Milliseconds since the epoch. */
  readonly before: number
  /** So many of the latest stay, however old they are. */
  readonly keep: number
}

interface Ports {
  readonly store: Store
  readonly ownership: Ownership
}

/** Conversations that have to go, the oldest first. Never one in which something is open. */
export function expired({ store, ownership }: Ports, { before, keep }: Retention): Conversation[] {
  return store
    .find('conversations', { orderBy: 'updatedAt', descending: true })
    .slice(keep)
    .filter(({ id, updatedAt }) => updatedAt < before && !isOpen(store, ownership, id))
    .toReversed()
}

/** Deletes those of them that are still to go, and returns these. */
export async function deleteExpired(
  { store, ownership }: Ports,
  ids: readonly ConversationId[],
  { before }: Retention,
): Promise<ConversationId[]> {
  const deleted: ConversationId[] = []
  for (const id of ids) {
    // looked at again in the transaction that deletes: it may have gone on meanwhile
    const isGone = await store.tx(
      (tx) => {
        const row = tx.get('conversations', id)
        return row && row.updatedAt < before && !isOpen(tx, ownership, id) && tx.delete('conversations', id)
      },
      { durable: true },
    )
    if (isGone) deleted.push(id)
  }
  return deleted
}

/** A run that can go on, paused ones too, input that nobody has read, or a process that has it at hand. */
function isOpen(reader: Reader, ownership: Ownership, conversationId: ConversationId): boolean {
  const runs = reader.find('runs', { where: { conversationId } })
  if (runs.some(({ status }) => !isFinal(status))) return true
  const unread = { conversationId, deliveredAt: null, withdrawnAt: null }
  return (
    reader.find('inbox', { where: unread, limit: 1 }).length > 0 ||
    ownership.livingOwner(conversationId, reader) !== undefined
  )
}
