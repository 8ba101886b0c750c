import { randomUUID } from 'node:crypto'
import type { ConversationId } from '../../core/ids.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { Ownership } from '../../runtime/ownership/leases.ts'
import type { LeaseRow, Store } from '../../store/port.ts'

/** Finds the living process that drives a conversation; undefined: none does, and nothing goes on by itself. */
export function livingOwners(store: Store): (id: ConversationId) => LeaseRow | undefined {
  const ownership = new Ownership({ store, clock: systemClock, owner: randomUUID() })
  const found = new Map<ConversationId, LeaseRow | undefined>()
  return (id) => {
    if (!found.has(id)) found.set(id, ownership.livingOwner(id))
    return found.get(id)
  }
}
