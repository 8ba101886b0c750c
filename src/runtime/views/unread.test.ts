import { expect, test } from 'vitest'
import { harness, stores, tool } from '../../../test/support/runtime-harness.ts'
import { leftBelow } from './left-below.ts'
import { listRuns } from './list-runs.ts'
import { statusLinesOf } from './status-lines.ts'

test.each(stores)(
  'a report that a pause holds back is told, with the verb that helps, in the %s store',
  async (_, open) => {
    const store = await open()
    const input = { prompt: 'look', description: 'k', subagent_type: 'explore', run_in_background: true }
    const h = harness({
      store,
      tools: [tool('read')],
      script: {
        main: [{ toolCalls: [{ tool: 'task', input }] }, { text: 'done', delayMs: 100 }, { text: 'read' }],
        explore: [{ text: 'found', delayMs: 5_000 }],
      },
    })
    const started = await h.start('go')
    await h.clock.advance(1_000)
    const { conversationId, branchId, runId } = started
    await h.perform(conversationId, { verb: 'pause', target: conversationId, args: null })
    await h.clock.advance(10_000)
    const main = () => listRuns(store).filter((run) => run.branchId === branchId)
    expect(store.find('runs', {}).map(({ status }) => status)).toEqual(['completed', 'completed'])
    const line = {
      state: 'Done',
      detail: '1 report waits to be read',
      verb: { name: 'continue', id: branchId },
    }
    expect(main()).toMatchObject([{ id: runId, statusLine: line }])
    expect(statusLinesOf(store, conversationId, true).get(runId)).toMatchObject(line)
    expect(leftBelow(store, store.get('runs', runId), () => true)).toBe('1 report waits to be read')
    const { started: next } = await h.continue(branchId)
    await h.clock.until(next!.result)
    expect(main()).toEqual([])
    expect(store.find('inbox', { where: { deliveredAt: null } })).toEqual([])
    await store.close()
  },
)
