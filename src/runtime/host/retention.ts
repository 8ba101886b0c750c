import type { Conversation } from '../../core/conversation.ts'
import type { ConversationId } from '../../core/ids.ts'
import { isFinal } from '../../core/run-status.ts'
import type { Reader, Store } from '../../store/port.ts'
import type { Ownership } from '../ownership/leases.ts'

/** Which conversations may be deleted. */
export interface Retention {
  /** Conversations unchanged since this time, milliseconds since the epoch. */
  readonly before: number
  /** Number of latest conversations to keep, whatever their age. */
  readonly keep: number
}

interface Ports {
  readonly store: Store
  readonly ownership: Ownership
}

/** Conversations to delete, oldest first. Never one with open work. */
export function expired({ store, ownership }: Ports, { before, keep }: Retention): Conversation[] {
  return store
    .find('conversations', { orderBy: 'updatedAt', descending: true })
    .slice(keep)
    .filter(({ id, updatedAt }) => updatedAt < before && !isOpen(store, ownership, id))
    .toReversed()
}

/** Deletes those that still qualify, and returns them. */
export async function deleteExpired(
  { store, ownership }: Ports,
  ids: readonly ConversationId[],
  { before }: Retention,
): Promise<ConversationId[]> {
  const deleted: ConversationId[] = []
  for (const id of ids) {
    // checked again in the deleting transaction: it may have resumed in the meantime
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

/** A run that can resume (including paused ones), unread input, or a process that uses it. */
function isOpen(reader: Reader, ownership: Ownership, conversationId: ConversationId): boolean {
  const runs = reader.find('runs', { where: { conversationId } })
  if (runs.some(({ status }) => !isFinal(status))) return true
  const unread = { conversationId, deliveredAt: null, withdrawnAt: null }
  return (
    reader.find('inbox', { where: unread, limit: 1 }).length > 0 ||
    ownership.livingOwner(conversationId, reader) !== undefined
  )
}
