import { OffshootError } from '../core/errors.ts'
import type { OffshootEvent } from '../core/events.ts'
import type { RunId } from '../core/ids.ts'
import { ignoreLateRejection } from '../core/rejections.ts'
import { readEvents } from '../runtime/log/stored-events.ts'
import { readRunResult, type RunResult } from '../runtime/views/run-result.ts'
import { isFollowedByMessage } from '../runtime/views/runs-of-message.ts'
import type { InboxRow } from '../store/port.ts'
import type { FeedDeps } from './event-feed.ts'

export interface ReadMessage {
  readonly runId: RunId
  /** The last `seq` before that run. */
  readonly seqBefore: number
}

interface Waiting {
  readonly item: InboxRow
  /** The last `seq` before the message. */
  readonly after: number
  /** Settles when the conversation is idle. */
  readonly quiet: Promise<unknown>
  /** Called as soon as a run reads the message, with the events since then. */
  readonly onRead: (since: readonly OffshootEvent[]) => void
}

/** The run that reads a queued message. @throws OffshootError `conflict` if no run reads it, `closed`. */
export async function untilRead(deps: FeedDeps, waiting: Waiting): Promise<ReadMessage> {
  const { item, after, quiet, onRead } = waiting
  const { conversationId } = item
  const { promise, resolve, reject } = Promise.withResolvers<RunId>()
  const look = (events: readonly OffshootEvent[]) => {
    for (const [i, event] of events.entries()) {
      if (event.type === 'inbox.withdrawn' && event.itemId === item.id) reject(withdrawn(item))
      if (event.type !== 'inbox.delivered' || event.itemId !== item.id || !event.runId) continue
      onRead(events.slice(i + 1))
      resolve(event.runId)
    }
  }
  const lookBack = () => look(readEvents(deps.store, conversationId, after))
  const close = () => reject(deps.closed.reason)
  const leave = deps.subscribe(conversationId, look)
  deps.closed.addEventListener('abort', close, { once: true })
  quiet.then(() => {
    if (deps.closed.aborted) return close()
    lookBack()
    reject(unread(item))
  }, reject)
  try {
    lookBack()
    const runId = await promise
    const first = readEvents(deps.store, conversationId, 0).find((event) => event.runId === runId)
    return { runId, seqBefore: first ? first.seq - 1 : after }
  } finally {
    leave()
    deps.closed.removeEventListener('abort', close)
  }
}

/**
 * Result of a message: available once the conversation is idle, or earlier if a later message started a run and this
 * message's work is done.
 */
export function resultOfMessage(
  { store, subscribe }: FeedDeps,
  { runId, conversationId }: Pick<RunResult, 'runId' | 'conversationId'>,
  quiet: Promise<unknown>,
): Promise<RunResult> {
  const { promise: followed, resolve } = Promise.withResolvers<void>()
  const leave = subscribe(conversationId, (events) => {
    if (events.some(changesRuns) && isFollowedByMessage(store, runId)) resolve()
  })
  const result = Promise.race([quiet, followed])
    .then(() => readRunResult(store, runId, 'until said'))
    .finally(leave)
  ignoreLateRejection(result)
  return result
}

function changesRuns({ type, sub }: OffshootEvent): boolean {
  return sub === undefined && (type.startsWith('run.') || type === 'inbox.delivered')
}

function withdrawn({ id }: InboxRow): OffshootError {
  return new OffshootError('conflict', `${id} was withdrawn before a run read it`)
}

function unread({ id, branchId }: InboxRow): OffshootError {
  return new OffshootError(
    'conflict',
    `the last run of ${branchId} stopped before it read the message ${id}`,
    {
      hint: `the message waits in the inbox: continue('${branchId}') delivers it, inbox.withdraw removes it`,
    },
  )
}
