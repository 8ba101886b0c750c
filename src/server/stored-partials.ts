import type { OffshootEvent } from '../core/events.ts'
import type { SecretMask } from '../core/secrets/mask.ts'
import type { ConversationId, PartId } from '../core/ids.ts'
import type { PartialMessage } from '../runtime/run/partial-message.ts'
import type { Store, DirectoryRuntime } from './directory-runtimes.ts'

/** Current streaming answers; if another process drives, as far as it has stored them. */
export function partialsOf(
  store: Store,
  directoryRuntime: Pick<DirectoryRuntime, 'drives' | 'runtime'> | undefined,
  id: ConversationId,
): readonly PartialMessage[] {
  return directoryRuntime?.drives(id) ? directoryRuntime.runtime.partials(id) : storedPartials(store, id)
}

/** The driving process stores them every 250 ms. */
export function storedPartials(store: Store, conversationId: ConversationId): PartialMessage[] {
  const runs = store.find('runs', { where: { conversationId, status: 'running' } })
  return runs.flatMap(({ id: runId, branchId }) => {
    const last = { orderBy: 'position', descending: true, limit: 1 } as const
    const message = store.find('messages', { where: { branchId }, ...last })[0]
    if (message?.state !== 'streaming' || message.runId !== runId) return []
    const messageId = message.id
    const rows = store.find('parts', { where: { messageId }, orderBy: 'position' })
    return [{ messageId, branchId, runId, parts: rows.map(({ part }) => part) }]
  })
}

/** As far as safe: a possible start of a secret is sent once more of it is there. */
export function maskPartial(message: PartialMessage, secrets: Pick<SecretMask, 'stream'>): PartialMessage {
  const parts = message.parts.map((part) =>
    part.type === 'text' || part.type === 'reasoning'
      ? { ...part, text: secrets.stream().push(part.text) }
      : part,
  )
  return { ...message, parts }
}

interface SentSoFar {
  readonly conversationId: ConversationId
  /** The last delivered one. */
  readonly seq: number
  /** The last one delivered after it. */
  readonly sub: number
  readonly at: number
  /** Delivered length of each part; without an entry, it is delivered from its start. */
  readonly lengths?: ReadonlyMap<PartId, number>
}

/** The undelivered text, as live events. */
export function partialDeltas(
  store: Store,
  partials: readonly PartialMessage[],
  { conversationId, seq, sub, at, lengths }: SentSoFar,
): OffshootEvent[] {
  let last = sub
  return partials.flatMap(({ messageId, branchId, runId, parts }) => {
    const { parentRunId = null, depth = 0 } = store.get('runs', runId) ?? {}
    const place = { seq, at, conversationId, branchId, runId, parentRunId, depth, messageId }
    return parts.flatMap((part): OffshootEvent[] => {
      if (part.type !== 'text' && part.type !== 'reasoning') return []
      const offset = lengths?.get(part.id) ?? 0
      const text = part.text.slice(offset)
      if (text === '') return []
      const { id: partId, type: kind } = part
      return [{ type: 'part.delta', ...place, sub: ++last, partId, kind, text, offset }]
    })
  })
}
