import type { EventOf } from '../../core/events.ts'
import type { ConversationId, RunId } from '../../core/ids.ts'
import type { Reader } from '../../store/port.ts'
import { unpackEvents } from '../log/stored-events.ts'

/**
 * The runs of a conversation that wait for a slot, the next first, reconstructed from the events that queued them; the
 * scheduler decides the real order. Runs whose wait is over go before new ones, and main runs need no slot.
 */
export function queueFromRows(reader: Reader, conversationId: ConversationId): RunId[] {
  const queuedRuns = reader.find('runs', { where: { conversationId, status: 'queued' } })
  const waiting = queuedRuns.filter((run) => run.depth > 0)
  const queued = lastQueuings(reader, conversationId, new Set(waiting.map((run) => run.id)))
  const heads = queued.filter((event) => event.from === 'waiting')
  const others = queued.filter((event) => event.from !== 'waiting')
  return [...heads, ...others].flatMap((event) => event.runId ?? [])
}

const PAGE = 100

/** The event that queued each of these runs last, in the order of their time. Read from the end: they are young. */
function lastQueuings(
  reader: Reader,
  conversationId: ConversationId,
  missing: Set<RunId>,
): EventOf<'run.queued'>[] {
  const found: EventOf<'run.queued'>[] = []
  for (let before = Number.MAX_SAFE_INTEGER; missing.size > 0;) {
    const page = { orderBy: 'seq', descending: true, limit: PAGE, before } as const
    const rows = reader.find('events', { where: { conversationId }, ...page })
    for (const event of rows.flatMap((row) => unpackEvents(row).toReversed()))
      if (event.type === 'run.queued' && event.runId && missing.delete(event.runId)) found.unshift(event)
    const last = rows.at(-1)
    if (!last) break
    before = last.seq
  }
  return found
}
