import type { EventDraft, OffshootEvent } from '../../core/events.ts'
import type { BranchId, ConversationId, InboxItemId } from '../../core/ids.ts'
import type { Clock } from '../../core/clock.ts'
import { OffshootError } from '../../core/errors.ts'
import { bounds } from '../../core/limits.ts'
import type { Store, Tx } from '../../store/port.ts'
import type { Bus } from './bus.ts'
import { lastSeq, packEvents } from './stored-events.ts'

/** One change of a conversation: its rows and their events, in one transaction. */
export interface Change {
  readonly tx: Tx
  /** Milliseconds since the epoch, the same for the whole change. */
  readonly at: number
  /** Stores the event under the next `seq`, which is set in the draft; it is emitted after the commit. */
  event(draft: EventDraft): void
  /** Marks an inbox item as delivered, in the change that appends it to its branch (invariant D3). */
  markDelivered(id: InboxItemId): void
  /** Position of the next message of a branch: 0, 1, 2, ... Call once per message. */
  nextPosition(branchId: BranchId): number
  /** Number of subagents of the conversation so far. */
  subagents(): number
  /** Call once for each new subagent, with the branch that this change inserts. */
  addSubagent(branchId: BranchId): void
  /**
   * Undoes in-memory effects if the change is not stored. If this change throws, it runs before the next change of the
   * same commit. It must not read the store.
   */
  ifRefused(undo: () => void): void
}

export interface RecordOptions {
  /** Default: true. False only for partial parts and data that can be derived again. */
  readonly durable?: boolean
}

export interface Recorder {
  record<T>(conversationId: ConversationId, write: (change: Change) => T, options?: RecordOptions): Promise<T>
  /** Forgets cached facts about a conversation: another process may have written before this one acquired it. */
  forget(conversationId: ConversationId): void
  /** Counts changes of a branch's inbox: a reader that saw all of them need not look again. */
  inboxChanges(branchId: BranchId): number
  /** Counts changes that were not stored: holders of their data must read again. */
  refused(): number
}

/** What the recorder needs from the leases of this process. */
export interface Leases {
  /** @throws OffshootError `conflict` if another process owns the conversation. */
  check(tx: Tx, id: ConversationId): void
}

/** As of the last change of this process. */
interface Known {
  readonly seq: number
  readonly updatedAt: number
  /** Position of the next message of each branch. */
  readonly positions: Map<BranchId, number>
  /** undefined: not read yet. */
  readonly subagents: number | undefined
}

/** Cached facts that a change relies on. */
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
 * Every write of the runtime goes through the recorder: the transaction that stores an event assigns its `seq`
 * (invariant S2). With `leases`, it refuses to change a conversation that another process owns (invariant R5).
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
          refused++ // immediately: the next change of the same transaction may rely on this one
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
        refused++ // with everything in the same commit
        undo()
        known.delete(conversationId) // its numbers are used but not stored
        throw error
      }
    },
  }
}

/** The events of a change being written. */
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

/** A row of events is keyed by its first `seq`, so a writer with an old counter collides and reads it again. */
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
