import type { EventDraft, OffshootEvent } from '../../core/events.ts'
import type { BranchId, ConversationId, InboxItemId } from '../../core/ids.ts'
import type { Clock } from '../../core/clock.ts'
import { OffshootError } from '../../core/errors.ts'
import { bounds } from '../../core/limits.ts'
import type { Store, Tx } from '../../store/port.ts'
import type { Bus } from './bus.ts'
import { lastSeq, packEvents } from './stored-events.ts'

/** One change of a conversation: its rows and the events that tell of it, in one transaction. */
export interface Change {
  readonly tx: Tx
  /** Milliseconds since the epoch, the same for the whole change. */
  readonly at: number
  /** Stores the event under the next `seq`, which the draft gets; it is told when the change is on disk. */
  event(draft: EventDraft): void
  /** Marks an inbox item as delivered, in the change that appends it to its branch (invariant D3). */
  markDelivered(id: InboxItemId): void
  /** The place of the next message of a branch: 0, 1, 2, ... To be asked once for each message. */
  nextPosition(branchId: BranchId): number
  /** The subagents that the conversation has had so far. */
  subagents(): number
  /** To be called once for each, with its branch, which this change inserts. */
  addSubagent(branchId: BranchId): void
  /**
   * Undoes in memory what the change did there, if it is not stored: before the next change of the same commit begins,
   * where this one throws. It may not read the store.
   */
  ifRefused(undo: () => void): void
}

export interface RecordOptions {
  /** Default true. False only for partial parts and what can be derived again. */
  readonly durable?: boolean
}

export interface Recorder {
  record<T>(conversationId: ConversationId, write: (change: Change) => T, options?: RecordOptions): Promise<T>
  /** What is known of a conversation is read anew: before this process took it, another may have written. */
  forget(conversationId: ConversationId): void
  /** How often something was put in the inbox of a branch, or changed there: who saw it all need not look again. */
  inboxChanges(branchId: BranchId): number
  /** How many changes were not stored: whoever holds what one of them has written reads it anew. */
  refused(): number
}

/** What the recorder asks of the leases of this process. */
export interface Leases {
  /** @throws OffshootError `conflict` where another process owns the conversation. */
  check(tx: Tx, id: ConversationId): void
}

/** As the last change of this process left it. */
interface Known {
  readonly seq: number
  readonly updatedAt: number
  /** The place of the next message of each branch. */
  readonly positions: Map<BranchId, number>
  /** undefined: nobody has asked yet. */
  readonly subagents: number | undefined
}

/** What a change counts on. */
interface Counted {
  readonly positions: Map<BranchId, number>
  subagents: number | undefined
}

export interface RecorderPorts {
  readonly store: Store
  readonly bus: Bus
  readonly clock: Clock
  readonly leases?: Leases | undefined
}

/**
 * All writes of the runtime go through it: the transaction that stores an event assigns its `seq` (invariant S2). With
 * `leases`, it refuses to change a conversation that another process owns (invariant R5).
 */
export function createRecorder({ store, bus, clock, leases }: RecorderPorts): Recorder {
  const known = new Map<ConversationId, Known>()
  const inboxChanges = new Map<BranchId, number>()
  const changes = (branchId: BranchId) => inboxChanges.get(branchId) ?? 0
  let refused = 0
  return {
    inboxChanges: changes,
    refused: () => refused,
    forget: (conversationId) => void known.delete(conversationId),
    async record(conversationId, write, { durable = true } = {}) {
      let events: OffshootEvent[] = []
      const undos: (() => void)[] = []
      const undo = () => {
        for (const each of undos.splice(0).toReversed()) each()
      }
      const closure = (tx: Tx) => {
        leases?.check(tx, conversationId)
        const at = clock.now()
        const pending: Pending = { conversationId, at, drafts: [], undos }
        const before = known.get(conversationId)
        const counted: Counted = { positions: new Map(), subagents: before?.subagents }
        const result = write(openChange(tx, pending, counted, before?.positions))
        if (pending.drafts.length > 0) {
          events = insertEvents(tx, pending, before)
          known.set(conversationId, after(events, at, counted, before))
        }
        return result
      }
      const watched = (tx: Tx) => {
        try {
          return closure(tx)
        } catch (error) {
          refused++ // at once: the next change of the same transaction may count on this one
          undo()
          throw error
        }
      }
      try {
        const result = await store.tx(watched, { durable })
        for (const { type, branchId } of events)
          if (branchId && (type === 'inbox.added' || type === 'inbox.updated'))
            inboxChanges.set(branchId, changes(branchId) + 1)
        bus.durable(events)
        return result
      } catch (error) {
        refused++ // with all that was committed together
        undo()
        known.delete(conversationId) // its numbers were given out and are not on disk
        throw error
      }
    },
  }
}

/** The events of a change that is being written. */
interface Pending {
  readonly conversationId: ConversationId
  readonly at: number
  readonly drafts: EventDraft[]
  readonly undos: (() => void)[]
}

function openChange(
  tx: Tx,
  { conversationId, at, drafts, undos }: Pending,
  counted: Counted,
  known: ReadonlyMap<BranchId, number> | undefined,
): Change {
  const { positions } = counted
  const where = { conversationId, kind: 'subagent' } as const
  const subagents = () => (counted.subagents ??= tx.count('branches', where))
  return {
    tx,
    at,
    event: (draft) => void drafts.push(draft),
    markDelivered: (id) => tx.update('inbox', id, { deliveredAt: at }),
    nextPosition(branchId) {
      const position = positions.get(branchId) ?? known?.get(branchId) ?? storedPosition(tx, branchId)
      positions.set(branchId, position + 1)
      return position
    },
    subagents,
    addSubagent(branchId) {
      counted.subagents = subagents() + 1
      positions.set(branchId, 0)
    },
    ifRefused: (undo) => void undos.push(undo),
  }
}

function storedPosition(tx: Tx, branchId: BranchId): number {
  const where = { branchId }
  const last = tx.find('messages', { where, orderBy: 'position', descending: true, limit: 1 })[0]
  return last ? last.position + 1 : 0
}

function insertEvents(
  tx: Tx,
  { conversationId, at, drafts }: Pending,
  before: Known | undefined,
): OffshootEvent[] {
  if (isLater(at, before)) tx.update('conversations', conversationId, { updatedAt: at })
  return insertAfter(tx, conversationId, drafts, before?.seq)
}

function after(
  events: readonly OffshootEvent[],
  at: number,
  { positions, subagents }: Counted,
  before: Known | undefined,
): Known {
  const all = before?.positions ?? new Map<BranchId, number>()
  for (const [branchId, position] of positions) all.set(branchId, position)
  const updatedAt = isLater(at, before) ? at : before!.updatedAt
  return { seq: events.at(-1)!.seq, updatedAt, positions: all, subagents }
}

function isLater(at: number, before: Known | undefined): boolean {
  return before === undefined || at - before.updatedAt >= bounds.updatedAtMs
}

/** A row of events is known by its first `seq`, so that whoever counts on from an old one collides, and reads it anew. */
function insertAfter(
  tx: Tx,
  conversationId: ConversationId,
  drafts: readonly EventDraft[],
  known: number | undefined,
): OffshootEvent[] {
  const last = known ?? lastSeq(tx, conversationId)
  const events = drafts.map((draft, i) => Object.assign(draft, { seq: last + 1 + i }))
  try {
    tx.insert('events', { conversationId, seq: last + 1, events: packEvents(events) })
    return events
  } catch (error) {
    const isTaken = known !== undefined && error instanceof OffshootError && error.code === 'conflict'
    if (!isTaken) throw error
    return insertAfter(tx, conversationId, drafts, undefined)
  }
}
