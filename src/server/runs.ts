import type { Run } from '../core/run.ts'
import { isFinal } from '../core/run-status.ts'
import { goOn } from './branches.ts'
import { perform, type Handlers } from './exchange.ts'
import { rowsOf } from './rows.ts'

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
  listRuns({ store }, { input: { status, conversation, branch, parent } }) {
    const isWanted = (run: Run) =>
      (status === undefined
        ? !isFinal(run.status)
        : status.some((each) => each === 'all' || each === run.status)) &&
      (branch === undefined || run.branchId === branch) &&
      (parent === undefined || run.parentRunId === parent)
    const conversations =
      conversation === undefined
        ? store.find('conversations', { orderBy: 'updatedAt', descending: true }).map(({ id }) => id)
        : [conversation]
    return conversations.flatMap((id) => rowsOf(store, id, isWanted))
  },

  getRun: ({ store }, { row }) => rowsOf(store, row.conversationId, ({ id }) => id === row.id)[0]!,

  continueRun: async ({ workplaces }, { row, input }) =>
    await goOn(await workplaces.of(row.conversationId), row.conversationId, row.id, input),

  pauseRun: (house, { row: { id: target, conversationId } }) =>
    perform(house, conversationId, { verb: 'pause', target, args: null }),

  interruptRun: (house, { row: { id: target, conversationId } }) =>
    perform(house, conversationId, { verb: 'interrupt', target, args: null }),

  cancelRun: (house, { row: { id: target, conversationId } }) =>
    perform(house, conversationId, { verb: 'cancel', target, args: null }),

  backgroundRun: (house, { row: { id: target, conversationId } }) =>
    perform(house, conversationId, { verb: 'background', target, args: null }),

  steerRun: (house, { row: { id: target, conversationId }, input: { text } }) =>
    perform(house, conversationId, { verb: 'steer', target, args: { text } }),
}
