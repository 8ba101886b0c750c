import { parseRun } from '../../core/run-steps.ts'
import { expect, test } from 'vitest'
import { handClock, harness, tool } from '../../../test/support/runtime-harness.ts'
import { runEvent } from '../run/live-run.ts'
import { createBus } from '../log/bus.ts'
import { listRuns } from './list-runs.ts'
import { queueFromRows } from '../run/queue-from-rows.ts'
import { createRecorder } from '../log/recorder.ts'

const task = (prompt: string) => ({ tool: 'task', input: { prompt, subagent_type: 'explore' } })
const use = (name: string) => ({ tool: name, input: {} })
const work = tool('work', {
  title: () => 'Work hard',
  execute: (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
})
const usage = { input: 100, output: 10 }

/** One slot for three subagents. */
async function working() {
  const clock = handClock()
  const h = harness({
    clock,
    tools: [work],
    config: { limits: { maxConcurrent: 1 } },
    script: {
      main: [{ toolCalls: [task('one'), task('two'), task('three')], usage }],
      explore: [{ toolCalls: [use('work')], usage }],
    },
  })
  const started = await h.start('go')
  await clock.settle()
  return { h, clock, started }
}

test('runs are listed with what they do, what they wait for, their place in line, and what is below them', async () => {
  const { h, clock, started } = await working()
  const runs = listRuns(h.store)
  expect(runs.map((run) => `${run.status} ${run.task} ${run.queuePosition}`)).toEqual([
    'running one null',
    'waiting main null',
    'queued two 1',
    'queued three 2',
  ])
  const [one, main] = runs
  expect(one).toMatchObject({
    lastAction: { tool: 'work', title: 'Work hard' },
    turns: 1,
    maxTurns: 10,
    toolCalls: 1,
    depth: 1,
    background: false,
    parentRunId: main!.id,
    approvals: [],
  })
  expect(main).toMatchObject({
    waitingFor: { what: 'children' },
    toolCalls: 3,
    usage: { input: 100, output: 10 },
  })
  expect(main!.subtree).toMatchObject({ toolCalls: 4, usage: { input: 200, output: 20 }, costUsd: 0 })

  started.stop('cancel')
  await clock.until(started.result)
  expect(listRuns(h.store)).toEqual([])
  expect(listRuns(h.store, { all: true }).map((run) => run.status)).toEqual(Array(4).fill('cancelled'))
})

test('a run whose wait is over stands before new ones in the line, in which no main run stands', async () => {
  const { h, clock, started } = await working()
  const id = started.conversationId
  const runs = h.store.find('runs', { where: { conversationId: id }, orderBy: 'id' })
  const [main, one, two, three] = runs
  expect(queueFromRows(h.store, id).order).toEqual([two!.id, three!.id])
  const recorder = createRecorder({ store: h.store, bus: createBus(clock), clock })
  for (const row of [main!, one!])
    await recorder.record(id, (change) => {
      change.tx.update('runs', row.id, { status: 'queued' })
      const queued = { row: parseRun({ ...row, status: 'queued', reason: null }) }
      change.event(runEvent(queued, 'run.queued', change.at, { from: 'waiting' }))
    })
  expect(queueFromRows(h.store, id).order).toEqual([one!.id, two!.id, three!.id])
  expect(listRuns(h.store).map((run) => `${run.task} ${run.queuePosition}`)).toEqual([
    'main null',
    'one 1',
    'two 2',
    'three 3',
  ])
})
