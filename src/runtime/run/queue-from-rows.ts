import type { EventOf } from '../../core/events.ts'
import type { ConversationId, RunId } from '../../core/ids.ts'
import type { QueueLine } from '../../core/run.ts'
import type { Reader } from '../../store/port.ts'
import { unpackEvents } from '../log/stored-events.ts'

/** The queued runs of a conversation. */
export interface QueueRows {
  /** Next first. */
  readonly order: readonly RunId[]
  /** What they wait for. */
  readonly line: QueueLine
}

/**
 * The runs of a conversation that wait for a slot, reconstructed from the events that queued them; the scheduler decides
 * the real order. Runs whose wait is over go before new ones, and main runs need no slot.
 */
export function queueFromRows(reader: Reader, conversationId: ConversationId): QueueRows {
  const queuedRuns = reader.find('runs', { where: { conversationId, status: 'queued' } })
  const waiting = queuedRuns.filter((run) => run.depth > 0 && !run.waitingFor)
  const { queued, line } = lastQueuings(reader, conversationId, new Set(waiting.map((run) => run.id)))
  const heads = queued.filter((event) => event.from === 'waiting')
  const others = queued.filter((event) => event.from !== 'waiting')
  return { order: [...heads, ...others].flatMap((event) => event.runId ?? []), line }
}

const PAGE = 100

interface Queuings {
  /** The event that last queued each run, in order of time. */
  readonly queued: readonly EventOf<'run.queued'>[]
  readonly line: QueueLine
}

/** Reads backwards, because queued runs are recent. A run that reports what its queue waits for keeps its place. */
function lastQueuings(reader: Reader, conversationId: ConversationId, missing: Set<RunId>): Queuings {
  const queued: EventOf<'run.queued'>[] = []
  let last: EventOf<'run.queued'> | undefined
  for (let before = Number.MAX_SAFE_INTEGER; missing.size > 0;) {
    const page = { orderBy: 'seq', descending: true, limit: PAGE, before } as const
    const rows = reader.find('events', { where: { conversationId }, ...page })
    for (const event of rows.flatMap((row) => unpackEvents(row).toReversed())) {
      if (event.type !== 'run.queued' || event.depth === 0) continue
      if (event.waitingFor) continue
      last ??= event
      const comes = event.from !== 'queued' || event.waitingFor === null
      if (comes && event.runId && missing.delete(event.runId)) queued.unshift(event)
    }
    const oldest = rows.at(-1)
    if (!oldest) break
    before = oldest.seq
  }
  return { queued, line: last?.line ?? 'conversation' }
}
