import { describe, expect, test } from 'vitest'
import { expectOrder, foreground, slow, spawn, stage, use, type Staged } from '../../../test/support/stage.ts'
import { stores, tool } from '../../../test/support/runtime-harness.ts'
import type { StartedRun } from '../control/acquire-and-drive.ts'

const states = (h: Staged) =>
  h.store
    .find('runs', { orderBy: 'id' })
    .map(({ agent, status, reason, turns }) => `${agent} ${status} ${reason ?? '-'} ${turns}`)

const runOf = (h: Staged, name: string) => h.store.find('runs', { where: { agent: name } })[0]!.id

const perform = (h: Staged, { conversationId }: StartedRun, verb: 'pause' | 'background', target: string) =>
  h.clock.until(h.perform(conversationId, { verb, target, args: null }))

/** A tool whose calls end when the test releases them. */
function gated() {
  const open: (() => void)[] = []
  const gate = tool('gate', { execute: () => new Promise<string>((end) => open.push(() => end('through'))) })
  return { gate, open }
}

async function started(h: Staged): Promise<StartedRun> {
  const run = await h.start('go')
  await h.clock.settle()
  return run
}

async function goOn(h: Staged, run: StartedRun, target: string) {
  const { started } = await h.continue(target)
  if (started) await h.clock.until(started.result)
  expectOrder(h, run)
}

describe.each(stores)('a pause, in the %s store', (_, open) => {
  test('finishes the current call, keeps its result and makes no further request', async () => {
    const { gate, open: gates } = gated()
    const main = [{ calls: [use('gate')] }, { text: 'done' }]
    const h = stage({ main }, { store: await open(), tools: [gate] })
    const run = await started(h)
    expect(await perform(h, run, 'pause', run.runId)).toEqual({ runs: 1, paused: 0 })
    expect(states(h)).toEqual(['main running - 1'])
    gates[0]!()
    expect(await h.clock.until(run.result)).toMatchObject({ status: 'paused', endReason: 'user' })
    expect(h.store.find('tool_calls', {})[0]).toMatchObject({ status: 'completed' })
    await goOn(h, run, run.runId)
    expect(states(h)).toEqual(['main completed - 2'])
  })

  test('comes too late for a run that is streaming its last answer', async () => {
    const h = stage({ main: [slow('the end', 1_000)] }, { store: await open() })
    const run = await started(h)
    expect(await perform(h, run, 'pause', run.branchId)).toEqual({ runs: 1, paused: 0 })
    expect(await h.clock.until(run.result)).toMatchObject({ status: 'completed', text: 'the end' })
    await expect(perform(h, run, 'pause', run.runId)).rejects.toMatchObject({ code: 'conflict' })
  })

  test('of a parent first pauses the children it waits for and keeps its call open', async () => {
    const { gate, open: gates } = gated()
    const child = [{ calls: [use('gate')] }, { text: 'report' }]
    const main = [
      { calls: [foreground('a'), foreground('b'), spawn('c')] },
      { text: 'end' },
      { text: 'c too' },
    ]
    const parts = { main, a: child, b: [slow('b is done', 50)], c: [slow('c', 60_000)] }
    const h = stage(parts, { store: await open(), tools: [gate] })
    const run = await started(h)
    expect(await perform(h, run, 'pause', run.runId)).toEqual({ runs: 3, paused: 0 })
    await h.clock.advance(100)
    expect(states(h)).toEqual([
      'main waiting children 1',
      'a running - 1',
      'b completed - 1',
      'c running - 0',
    ])
    gates[0]!()
    await h.clock.advance(100)
    expect(states(h)).toEqual(['main paused user 1', 'a paused parent 1', 'b completed - 1', 'c running - 0'])
    await h.clock.advance(60_000)
    await h.clock.until(run.result)
    await goOn(h, run, run.branchId)
    expect(h.store.find('runs', { orderBy: 'id' }).every(({ status }) => status === 'completed')).toBe(true)
  })

  test('of a conversation also pauses background runs, and continuing it resumes all of them', async () => {
    const { gate, open: gates } = gated()
    const child = [{ calls: [use('gate')] }, { text: 'report' }]
    const main = [{ calls: [spawn('a'), spawn('b')] }, { text: 'started' }, { text: 'more' }, { text: 'all' }]
    const h = stage({ main, a: child, b: child }, { store: await open(), tools: [gate] })
    const run = await started(h)
    expect(await perform(h, run, 'pause', run.conversationId)).toEqual({ runs: 2, paused: 0 })
    for (const end of gates) end()
    await h.clock.until(run.result)
    expect(states(h)).toEqual(['main completed - 2', 'a paused parent 1', 'b paused parent 1'])
    await goOn(h, run, run.conversationId)
    expect(states(h).filter((each) => !each.includes('completed'))).toEqual([])
  })

  test('of a conversation keeps reports from waking their parent until it continues', async () => {
    const parts = { main: [{ calls: [spawn('a')] }, { text: 'started' }], a: [slow('late news', 1_000)] }
    const h = stage(parts, { store: await open() })
    const run = await started(h)
    expect(await perform(h, run, 'pause', run.conversationId)).toEqual({ runs: 1, paused: 0 })
    await h.clock.until(run.result)
    expect(states(h)).toEqual(['main completed - 2', 'a completed - 1'])
    expect(h.store.find('inbox', { where: { deliveredAt: null } })).toHaveLength(1)
    await goOn(h, run, run.conversationId)
    expect(h.store.find('inbox', { where: { deliveredAt: null } })).toEqual([])
  })

  test('reaches a subagent that starts after it', async () => {
    const { gate, open: gates } = gated()
    const main = [{ calls: [use('gate'), foreground('a')] }, { text: 'end' }]
    const effect = { ...gate, effects: 'write' as const } // later calls of the turn wait for this one
    const layers = [{ name: 'test', rules: [{ tool: '*', action: 'allow' } as const] }]
    const h = stage({ main, a: [{ text: 'news' }] }, { store: await open(), tools: [effect], layers })
    const run = await started(h)
    await perform(h, run, 'pause', run.runId)
    gates[0]!()
    expect(await h.clock.until(run.result)).toMatchObject({ status: 'paused' })
    expect(states(h)).toEqual(['main paused user 1', 'a paused parent 0'])
    await goOn(h, run, run.runId)
    expect(states(h)).toEqual(['main completed - 2', 'a completed - 1'])
  })

  test('of a queued run takes effect at once', async () => {
    const main = [{ calls: [spawn('a'), spawn('b')] }, { text: 'started' }]
    const config = { limits: { maxConcurrent: 1 } }
    const h = stage({ main, a: [slow('a')], b: [{ text: 'b' }] }, { store: await open(), config })
    const run = await started(h)
    expect(await perform(h, run, 'pause', runOf(h, 'b'))).toEqual({ runs: 1, paused: 1 })
    await h.clock.until(run.result)
    expect(states(h)).toContain('b paused user 0')
  })

  test('of a run that waits for a child paused by the user takes effect at once', async () => {
    const { gate, open: gates } = gated()
    const parts = { main: [{ calls: [foreground('a')] }, { text: 'end' }], a: [{ calls: [use('gate')] }] }
    const h = stage(parts, { store: await open(), tools: [gate] })
    const run = await started(h)
    await perform(h, run, 'pause', runOf(h, 'a'))
    gates[0]!()
    await h.clock.settle()
    expect(states(h)).toEqual(['main waiting children 1', 'a paused user 1'])
    expect(await perform(h, run, 'pause', run.runId)).toEqual({ runs: 1, paused: 1 })
    expect(await h.clock.until(run.result)).toMatchObject({ status: 'paused' })
  })

  test('is revoked by a continue, whose text the run reads at its next turn', async () => {
    const { gate, open: gates } = gated()
    const child = [{ calls: [use('gate')] }, { text: 'report' }]
    const main = [{ calls: [foreground('a'), foreground('b')] }, { text: 'both' }, { text: 'and said' }]
    const h = stage({ main, a: child, b: child }, { store: await open(), tools: [gate] })
    const run = await started(h)
    await perform(h, run, 'pause', run.runId)
    gates[0]!()
    await h.clock.settle()
    expect(states(h)).toEqual(['main waiting children 1', 'a paused parent 1', 'b running - 1'])
    const { runId } = run
    const order = { verb: 'continue', target: runId, args: { text: 'no, go on' } } as const
    const answer = await h.clock.until(h.perform(run.conversationId, order))
    expect(answer).toMatchObject({ outcome: 'steered', runId })
    gates[1]!()
    expect(await h.clock.until(run.result)).toMatchObject({ status: 'completed' })
    expect(states(h).filter((each) => !each.includes('completed'))).toEqual([])
    expect(h.actor.of('main').map(({ last }) => last)).toContain('no, go on')
    expectOrder(h, run)
  })

  test('is revoked by a continue without a text, which adds no message', async () => {
    const { gate, open: gates } = gated()
    const h = stage(
      { main: [{ calls: [use('gate')] }, { text: 'end' }] },
      { store: await open(), tools: [gate] },
    )
    const run = await started(h)
    await perform(h, run, 'pause', run.runId)
    const order = { verb: 'continue', target: run.runId, args: {} } as const
    expect(await h.clock.until(h.perform(run.conversationId, order))).toMatchObject({ outcome: 'continued' })
    gates[0]!()
    expect(await h.clock.until(run.result)).toMatchObject({ status: 'completed', text: 'end' })
    expect(h.store.find('inbox', {})).toEqual([])
  })

  test('yields to a cancel', async () => {
    const { gate } = gated()
    const h = stage({ main: [{ calls: [use('gate')] }] }, { store: await open(), tools: [gate] })
    const run = await started(h)
    await perform(h, run, 'pause', run.runId)
    await h.clock.until(h.perform(run.conversationId, { verb: 'cancel', target: run.runId, args: null }))
    expect(await h.clock.until(run.result)).toMatchObject({ status: 'cancelled' })
  })
})

describe.each(stores)('a subagent moved to the background, in the %s store', (_, open) => {
  const parts = () => ({
    main: [{ calls: [foreground('a')] }, { text: 'I go on' }, { text: 'and there it is' }],
    a: [slow('late news', 60_000)],
  })

  test('lets its parent continue, and reports once, later', async () => {
    const h = stage(parts(), { store: await open() })
    const run = await started(h)
    const runId = runOf(h, 'a')
    const answer = await perform(h, run, 'background', runId)
    expect(answer).toMatchObject({ runId, status: 'running' })
    await h.clock.settle()
    expect(states(h)).toEqual(['main completed - 2', 'a running - 0'])
    expect(h.actor.of('main').at(-1)!.last).toContain('The user has moved it to the background: task_id')
    await expect(perform(h, run, 'background', runId)).rejects.toThrow('is already in the background')
    expect(await h.clock.until(run.result)).toMatchObject({ text: 'and there it is' })
    expect(states(h)).toEqual(['main completed - 2', 'a completed - 1', 'main completed - 1'])
    expect(h.actor.of('main').at(-1)!.last).toContain('late news')
    expect(h.store.find('inbox', {})).toHaveLength(1)
    expectOrder(h, run)
  })

  test('must have a waiting parent: a main run or a finished run cannot be moved', async () => {
    const h = stage(parts(), { store: await open() })
    const run = await started(h)
    await expect(perform(h, run, 'background', run.runId)).rejects.toThrow('is not a subagent')
    await h.clock.until(run.result)
    await expect(perform(h, run, 'background', runOf(h, 'a'))).rejects.toMatchObject({ code: 'conflict' })
  })
})
