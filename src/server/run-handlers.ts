import type { ConversationId } from '../core/ids.ts'
import type { StoredRun } from '../core/run.ts'
import { isFinal, type RunStatus } from '../core/run-status.ts'
import { runStatus } from '../protocol/fields.ts'
import { goOn } from './branch-handlers.ts'
import { perform, performer, type Handlers } from './route-handler.ts'
import { rowsOf } from './run-rows.ts'
import type { Store } from './directory-runtimes.ts'

export const runHandlers: Handlers<
  | 'listRuns'
  | 'getRun'
  | 'continueRun'
  | 'pauseRun'
  | 'interruptRun'
  | 'cancelRun'
  | 'backgroundRun'
  | 'steerRun'
> = {
  listRuns(context, { input: { status, conversation, branch, parent } }) {
    const isNamed = conversation !== undefined || branch !== undefined || parent !== undefined
    const named = status ?? (isNamed ? ['all' as const] : OPEN)
    const statuses = named.flatMap((each) => (each === 'all' ? runStatus.options : each))
    const isWanted = (run: StoredRun) =>
      statuses.includes(run.status) &&
      (branch === undefined || run.branchId === branch) &&
      (parent === undefined || run.parentRunId === parent)
    const ids = conversation === undefined ? conversationsWith(context.store, statuses) : [conversation]
    return ids.flatMap((id) => rowsOf(context, id, isWanted))
  },

  getRun: (context, { row }) => rowsOf(context, row.conversationId, ({ id }) => id === row.id)[0]!,

  continueRun: async ({ directoryRuntimes }, { row, input, author }) =>
    await goOn(await directoryRuntimes.ofPresentDirectory(row.conversationId), row.conversationId, row.id, {
      ...input,
      author,
    }),

  pauseRun: performer('pause'),

  interruptRun: performer('interrupt'),

  cancelRun: (context, { row, input: { ifStoppedAt } }) =>
    perform(context, row.conversationId, {
      verb: 'cancel',
      target: row.id,
      args: ifStoppedAt === undefined ? null : { ifStoppedAt },
    }),

  backgroundRun: performer('background'),

  steerRun: performer('steer'),
}

const OPEN = runStatus.options.filter((status) => !isFinal(status))

/** Conversations with a run in such a state, latest first; others are not read. */
function conversationsWith(store: Store, statuses: readonly RunStatus[]): ConversationId[] {
  const having = new Set(
    statuses.flatMap((status) =>
      store.find('runs', { where: { status } }).map(({ conversationId }) => conversationId),
    ),
  )
  const latest = store.find('conversations', { orderBy: 'updatedAt', descending: true })
  return latest.flatMap(({ id }) => (having.has(id) ? id : []))
}
