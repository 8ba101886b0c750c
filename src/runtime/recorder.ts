import type { EventDraft, OffshootEvent } from '../core/events.ts'
import type { ConversationId } from '../core/ids.ts'
import type { Clock } from '../core/clock.ts'
import type { Store, Tx } from '../store/port.ts'
import type { Bus } from './bus.ts'
import { toStored } from './stored-events.ts'

/** One change of a conversation: its rows and the events that tell of it, in one transaction. */
export interface Change {
  readonly tx: Tx
  /** Milliseconds since the epoch, the same for the whole change. */
  readonly at: number
  /** Stores the event under the next `seq`; it is told when the change is on disk. */
  event(draft: EventDraft): void
}

export interface RecordOptions {
  /** Default true. False only for partial parts and what can be derived again. */
  readonly durable?: boolean
}

export interface Recorder {
  record<T>(conversationId: ConversationId, write: (change: Change) => T, options?: RecordOptions): Promise<T>
}

/** The only way in which the runtime writes: `seq` is given out in the transaction that stores the event (domain.md §6). */
export function createRecorder(store: Store, bus: Bus, clock: Clock): Recorder {
  return {
    async record(conversationId, write, { durable = true } = {}) {
      let events: OffshootEvent[] = []
      const result = await store.tx(
        (tx) => {
          events = []
          const at = clock.now()
          const result = write({ tx, at, event: (draft) => events.push(draft as OffshootEvent) })
          if (events.length > 0) events = number(tx, conversationId, events, at)
          return result
        },
        { durable },
      )
      bus.durable(events)
      return result
    },
  }
}

function number(
  tx: Tx,
  conversationId: ConversationId,
  drafts: readonly OffshootEvent[],
  at: number,
): OffshootEvent[] {
  let seq = tx.get('conversations', conversationId)!.seq
  const events = drafts.map((draft) => ({ ...draft, seq: ++seq }))
  for (const event of events) tx.insert('events', { conversationId, seq: event.seq, event: toStored(event) })
  tx.update('conversations', conversationId, { seq, updatedAt: at })
  return events
}
