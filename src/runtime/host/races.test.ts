import { describe, expect, test } from 'vitest'
import { conversationProblems } from '../../../test/support/conversation-problems.ts'
import { actor, type Seen } from '../../../test/support/actor.ts'
import { beginsAfterMs, cutStore } from '../../../test/support/cut-store.ts'
import { handClock, tool } from '../../../test/support/runtime-harness.ts'
import { expectOrder, foreground, slow, spawn, stage, type Staged } from '../../../test/support/stage.ts'
import { OffshootError } from '../../core/errors.ts'
import type { BranchId, ConversationId, RunId } from '../../core/ids.ts'
import { createMemoryStore } from '../../store/memory.ts'
import type { Store, Tx } from '../../store/port.ts'
import { readEvents } from '../log/stored-events.ts'

// Each of these was a seed of test/sim that ended badly: two things that come at the same time, or a write that fails.

const deaf = tool('deaf', { effects: 'write', idempotent: false, execute: () => new Promise(() => {}) })
const allow = [{ name: 'all', rules: [{ tool: '*', action: 'allow' as const }] }]

const statuses = ({ store }: Staged) =>
  store.find('runs', { orderBy: 'id' }).map(({ agent, status }) => `${agent} ${status}`)

const branchOf = ({ store }: Staged, agent: string): BranchId =>
  store.find('runs', {}).find((run) => run.agent === agent)!.branchId

test('a parent goes on when the paused subagent that it waits for is cancelled', async () => {
  const h = stage({ main: [{ calls: [foreground('a')] }, { text: 'main is done' }], a: [slow('never')] })
  const started = await h.start('go')
  await h.clock.advance(10)
  const target = branchOf(h, 'a')
  await h.perform(started.conversationId, { verb: 'interrupt', target, args: null })
  expect(statuses(h)).toEqual(['main waiting', 'a paused'])
  await h.perform(started.conversationId, { verb: 'cancel', target, args: null })
  expect(await h.clock.until(started.result)).toMatchObject({ status: 'completed', text: 'main is done' })
  expectOrder(h, started)
})

/** A subagent that a request keeps busy, and what people do to it. */
async function busySubagent() {
  const a = [slow('never', 5_000), { text: 'a is done' }]
  const h = stage({ main: [{ calls: [foreground('a')] }, { text: 'main is done' }], a })
  const started = await h.start('go')
  await h.clock.advance(10)
  const { conversationId, result } = started
  const target = branchOf(h, 'a')
  const goesOn = async () => {
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'main is done' })
    expect(statuses(h)).toEqual(['main completed', 'a completed'])
    expectOrder(h, started)
  }
  return {
    interrupt: () => h.perform(conversationId, { verb: 'interrupt', target, args: null }),
    goOn: () => h.perform(conversationId, { verb: 'continue', target, args: {} }),
    goesOn,
  }
}

test.each([0, 1, 2, 3, 5, 8, 13])(
  'a subagent that is interrupted and continued at once goes on, and its parent gets its report: %i',
  async (ticks) => {
    const { interrupt, goOn, goesOn } = await busySubagent()
    const interrupted = interrupt()
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
    expect(await goOn()).toMatchObject({ outcome: 'continued' })
    await interrupted
    await goesOn()
  },
)

test('a subagent that is continued and cancelled in one turn holds up neither its parent nor the queue', async () => {
  const h = stage(
    {
      main: [
        { calls: [foreground('a', { max_turns: 1 })] },
        ({ ids }) => ({
          calls: [
            ['task', { prompt: 'go on', continue: ids[0], subagent_type: 'a' }],
            ['task_cancel', { task_id: ids[0] }],
          ],
        }),
        { calls: [foreground('b')] },
        { text: 'main is done' },
      ],
      a: [{ calls: [['read', {}]] }, { text: 'one' }],
      b: [{ text: 'two' }],
    },
    { config: { limits: { maxConcurrent: 1 } } },
  )
  const result = await h.run('go')
  expect(result).toMatchObject({ status: 'completed', text: 'main is done' })
  expectOrder(h, result)
})

test('what two take up at the same time is driven once', async () => {
  const store = createMemoryStore()
  const first = stage({ main: [slow('never')] }, { store })
  const { conversationId } = await first.start('go')
  await first.clock.settle()
  const second = stage({ main: [slow('done', 10)] }, { store })
  const [, continued] = await Promise.all([second.recover(), second.continue(conversationId)])
  expect(await second.clock.until(continued.started!.result)).toMatchObject({
    status: 'completed',
    text: 'done',
  })
  expect(second.actor.seen).toHaveLength(1)
})

test('a call that was begun, and is not run again after a restart, is not said to be skipped', async () => {
  const store = createMemoryStore()
  const safe = tool('safe', { effects: 'write', idempotent: true, execute: () => new Promise(() => {}) })
  const first = stage({ main: [{ calls: [['safe', {}]] }] }, { store, tools: [safe], layers: allow })
  const { conversationId: target } = await first.start('go')
  await first.clock.settle()
  const layers = [{ name: 'all', rules: [{ tool: '*', action: 'ask' as const }] }]
  const second = stage({}, { store, tools: [safe], layers })
  second.runtime.approvals.attend()
  await second.recover()
  expect(statuses(second)).toEqual(['main waiting'])
  await second.perform(target, { verb: 'interrupt', target, args: null })
  const [call] = store.find('tool_calls', {})
  expect(call).toMatchObject({ status: 'failed', error: { code: 'interrupted' } })
  expect(call!.error!.message).toContain('it had already started, and its effect is unknown')
})

test('a run that cannot go on after a restart leaves no call open', async () => {
  const store = createMemoryStore()
  const parts = {
    main: [
      {
        calls: [
          ['deaf', {}],
          ['deaf', {}],
        ] as const,
      },
    ],
  }
  const first = stage(parts, { store, tools: [deaf], layers: allow })
  const { conversationId } = await first.start('go')
  await first.clock.settle()
  const resolveModel = () => Promise.reject(new OffshootError('key', 'no key'))
  const second = stage({}, { store, tools: [deaf], layers: allow, resolveModel })
  await second.recover()
  expect(statuses(second)).toEqual(['main failed'])
  expect(
    store
      .find('tool_calls', {})
      .map(({ status }) => status)
      .toSorted(),
  ).toEqual(['skipped', 'unknown'])
  expect(conversationProblems(store, conversationId)).toEqual([])
})

/** A store that takes nothing of the first transactions which leave it so. */
function failing(leaves: (tx: Tx) => boolean, store = createMemoryStore(), times = 1): Store {
  let left = times
  const tx: Store['tx'] = (write, options) =>
    store.tx((tx) => {
      const result = write(tx)
      if (left === 0 || !leaves(tx)) return result
      left--
      throw new OffshootError('store_full', 'the disk is full')
    }, options)
  return { ...store, tx }
}

test('a continue by an agent that is not stored leaves what was to go on below it without a slot', async () => {
  let isWatched = false
  const store = failing((tx) => isWatched && tx.count('runs', { agent: 'a', status: 'queued' }) > 0)
  const parts = {
    main: [
      { calls: [spawn('general')] },
      { text: 'started' },
      ({ ids }: Seen) => ({ calls: [['task', { continue: ids[0], prompt: 'go on' }] as const] }),
      { calls: [foreground('b')] },
      { text: 'end' },
    ],
    general: [{ calls: [foreground('a')] }],
    a: [slow('never')],
    b: [{ text: 'b is done' }],
  }
  const h = stage(parts, { store, config: { limits: { maxDepth: 2, maxConcurrent: 1 } } })
  const { conversationId, result } = await h.start('go')
  await h.clock.settle()
  const target = branchOf(h, 'general')
  await h.perform(conversationId, { verb: 'interrupt', target, args: null })
  await h.clock.until(result)
  isWatched = true
  const second = await h.start('again', { conversationId })
  await expect(h.clock.until(second.result)).rejects.toThrow('the disk is full')
  expect(statuses(h)).toEqual(['main completed', 'general paused', 'a paused', 'main failed'])
  const third = await h.start('and again', { conversationId })
  expect(await h.clock.until(third.result)).toMatchObject({ status: 'completed', text: 'end' })
  expect(statuses(h).at(-1)).toBe('b completed')
})

describe('a subagent that cannot begin again after a restart', () => {
  const config = { limits: { maxConcurrent: 1, maxDepth: 2 } }
  const parts = { main: [{ calls: [foreground('general')] }], general: [{ calls: [foreground('a')] }] }
  const waitsForOne = async () => {
    const store = createMemoryStore()
    const first = stage({ ...parts, a: [slow('never')] }, { store, config })
    const { conversationId } = await first.start('go')
    await first.clock.settle()
    expect(statuses(first)).toEqual(['main waiting', 'general waiting', 'a running'])
    return { first, store, conversationId }
  }

  test('for its model, leaves its slot to what it waits for', async () => {
    const { first, store, conversationId } = await waitsForOne()
    let asked = 0
    const resolveModel = async () => {
      if (++asked === 2) throw new OffshootError('key', 'no key')
      return actor(first.clock, {}).model
    }
    const second = stage({ a: [] }, { store, config, resolveModel })
    await second.recover()
    expect(statuses(second)).toEqual(['main completed', 'general failed', 'a completed'])
    expectOrder(second, { conversationId })
  })

  test('for the store, ends with what is below it', async () => {
    const { store, conversationId } = await waitsForOne()
    const isBegun = (tx: Tx) =>
      tx.find('runs', {}).some(({ agent, status }) => agent === 'general' && status === 'running')
    const second = stage({ a: [] }, { store: failing(isBegun, store), config })
    await expect(second.recover()).rejects.toThrow('the disk is full')
    await second.clock.settle()
    expect(statuses(second)).toEqual(['main failed', 'general failed', 'a cancelled'])
    expectOrder(second, { conversationId })
  })
})

test('an answer that was not stored can be given again, and the run goes on', async () => {
  const store = failing((tx) => tx.find('approvals', {}).some(({ answer }) => answer !== null))
  const asks = [{ name: 'ask', rules: [{ tool: '*', action: 'ask' as const }] }]
  const parts = { main: [{ calls: [['read', {}]] as const }, slow('main is done')] }
  const h = stage(parts, { store, layers: asks })
  h.runtime.approvals.attend()
  const started = await h.start('go')
  await h.clock.advance(10)
  const { id } = store.find('approvals', {})[0]!
  const answer = () => h.clock.until(h.runtime.approvals.answer(id, { answer: 'once', by: 'me' }))
  await expect(answer()).rejects.toThrow('the disk is full')
  expect(statuses(h)).toEqual(['main waiting'])
  await answer()
  await h.clock.settle()
  expect(statuses(h)).toEqual(['main running'])
  expect(await h.clock.until(started.result)).toMatchObject({ text: 'main is done' })
  expectOrder(h, started)
})

test('a question that was not withdrawn when its run was cancelled, as the store did not take it, is withdrawn at its end', async () => {
  const store = failing((tx) => tx.find('approvals', {}).some(({ answeredBy }) => answeredBy === 'stop'))
  const asks = [{ name: 'ask', rules: [{ tool: '*', action: 'ask' as const }] }]
  const h = stage({ main: [{ calls: [['read', {}]] as const }] }, { store, layers: asks })
  h.runtime.approvals.attend()
  const started = await h.start('go')
  await h.clock.advance(10)
  started.stop('cancel')
  await h.clock.until(started.result)
  expect(statuses(h)).toEqual(['main cancelled'])
  expect(store.find('approvals', {})).toMatchObject([{ answer: 'deny', answeredBy: 'stop' }])
  expectOrder(h, started)
})

test('a run of whose end nothing was stored is not followed by another, and is taken up later', async () => {
  const isOver = (tx: Tx) =>
    tx
      .find('runs', {})
      .some(({ depth, status }) => depth === 0 && (status === 'completed' || status === 'failed'))
  const parts = {
    main: [{ calls: [spawn('a'), spawn('b')] }, slow('main waits', 100)],
    a: [{ text: 'one', delayMs: 50 }],
    b: [slow('never')],
  }
  const store = failing(isOver, createMemoryStore(), 2)
  const h = stage(parts, { store })
  const started = await h.start('go')
  await expect(h.clock.until(started.result)).rejects.toThrow('the disk is full')
  await h.clock.advance(1_000)
  expect(statuses(h)).toEqual(['main running', 'a completed', 'b cancelled'])
  await h.recover()
  expect(statuses(h)).toEqual(['main completed', 'a completed', 'b cancelled', 'main completed'])
  expect(h.actor.of('main').at(-1)!.last).toContain('one')
  expectOrder(h, started)
})

describe('a run whose pause was not stored fails, and leaves no call open for the subagent that has paused', () => {
  const failed = async () => {
    const isPaused = (tx: Tx) =>
      tx.find('runs', {}).some(({ depth, status }) => depth === 0 && status === 'paused')
    const parts = { main: [{ calls: [foreground('a')] }], a: [slow('never'), { text: 'a is done' }] }
    const h = stage(parts, { store: failing(isPaused) })
    const { conversationId, result } = await h.start('go')
    await h.clock.advance(10)
    const interrupted = h.perform(conversationId, {
      verb: 'interrupt',
      target: conversationId,
      args: null,
    })
    await expect(h.clock.until(result)).rejects.toThrow('the disk is full')
    await interrupted
    expect(statuses(h)).toEqual(['main failed', 'a paused'])
    expect(h.store.find('tool_calls', {}).map(({ status }) => status)).toEqual(['failed'])
    return { h, conversationId, target: branchOf(h, 'a') }
  }

  test('whose report comes by the inbox when it goes on', async () => {
    const { h, conversationId, target } = await failed()
    const { started } = await h.continue(target)
    await h.clock.until(started!.result)
    expect(h.actor.of('main').at(-1)!.last).toContain('a is done')
    expect(statuses(h)).toEqual(['main failed', 'a completed', 'main completed'])
    expectOrder(h, { conversationId })
  })

  test('whose end does not answer it once more, while its conversation is driven', async () => {
    const main = [{ calls: [spawn('general'), spawn('b')] }]
    const parts = { main, general: [{ calls: [foreground('a')] }], a: [slow('never')], b: [slow('never')] }
    const isPaused = (tx: Tx) =>
      tx.find('runs', {}).some(({ agent, status }) => agent === 'general' && status === 'paused')
    const h = stage(parts, { store: failing(isPaused), config: { limits: { maxDepth: 2 } } })
    const { conversationId } = await h.start('go')
    await h.clock.advance(10)
    const on = (agent: string, verb: 'interrupt' | 'cancel') =>
      h.perform(conversationId, { verb, target: branchOf(h, agent), args: null })
    await on('general', 'interrupt')
    expect(statuses(h)).toEqual(['main completed', 'general failed', 'b running', 'a paused'])
    expect(await on('a', 'cancel')).toMatchObject({ outcome: 'cancelled' })
    await on('b', 'cancel')
    expectOrder(h, { conversationId })
  })
})

test('a run that a report was to wake and that was not stored stands in the way of nothing', async () => {
  const isWoken = (tx: Tx) => tx.find('runs', {}).filter(({ depth }) => depth === 0).length === 2
  const main = [{ calls: [spawn('a'), spawn('b')] }, { text: 'main waits' }]
  const h = stage(
    { main, a: [{ text: 'one', delayMs: 100 }], b: [slow('never')] },
    { store: failing(isWoken) },
  )
  const { conversationId: target, result } = await h.start('go')
  await h.clock.advance(5_000)
  expect(statuses(h)).toEqual(['main completed', 'a completed', 'b running'])
  expect(await h.perform(target, { verb: 'cancel', target, args: null })).toMatchObject({
    outcome: 'cancelled',
    runs: 1,
  })
  expect(statuses(h)).toEqual(['main completed', 'a completed', 'b cancelled'])
  await expect(h.clock.until(result)).rejects.toThrow('the disk is full')
})

test('a subagent whose going on was not stored stays paused, holds no slot, and can go on later', async () => {
  const isQueuedAgain = (tx: Tx) =>
    tx
      .find('runs', {})
      .some(({ agent, status, stopNo }) => agent === 'a' && status === 'queued' && stopNo > 0)
  const parts = {
    main: [{ calls: [foreground('a'), foreground('b')] }, { text: 'main is done' }],
    a: [slow('never'), { text: 'a is done' }],
    b: [slow('b is done', 1_000)],
  }
  const h = stage(parts, { store: failing(isQueuedAgain), config: { limits: { maxConcurrent: 1 } } })
  const started = await h.start('go')
  await h.clock.advance(10)
  const { conversationId, result } = started
  const target = branchOf(h, 'a')
  const goOn = () => h.perform(conversationId, { verb: 'continue', target, args: {} })
  await h.perform(conversationId, { verb: 'interrupt', target, args: null })
  await expect(goOn()).rejects.toThrow('the disk is full')
  await h.clock.settle()
  expect(statuses(h)).toEqual(['main waiting', 'a paused', 'b running'])
  expect(await goOn()).toMatchObject({ outcome: 'continued' })
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'main is done' })
  expect(statuses(h)).toEqual(['main completed', 'a completed', 'b completed'])
  expectOrder(h, started)
})

test('the end of a subagent that was not stored is answered all the same', async () => {
  const isEnd = (tx: Tx) =>
    tx.find('runs', {}).some(({ agent, status }) => agent === 'a' && status === 'completed')
  const main = [{ calls: [foreground('a'), foreground('b')] }, { text: 'main is done' }]
  const h = stage({ main, a: [{ text: 'one' }], b: [slow('two')] }, { store: failing(isEnd) })
  const started = await h.start('go')
  await expect(h.clock.until(started.result)).rejects.toThrow('the disk is full')
  expect(statuses(h)).toEqual(['main failed', 'a failed', 'b cancelled'])
  expectOrder(h, started)
})

test('of the calls of an answer none is left open, and none ends after its run, where a result was not stored', async () => {
  const wasStored = (tx: Tx) => tx.find('tool_calls', {}).some(({ status }) => status === 'completed')
  const end = Promise.withResolvers<string>()
  const late = tool('late', { execute: () => end.promise })
  const calls = [['read', {}], ['late', {}], spawn('a')] as const
  const store = failing(wasStored)
  const h = stage({ main: [{ calls }], a: [slow('never')] }, { store, tools: [tool('read'), late] })
  const started = await h.start('go')
  const result = h.clock.until(started.result)
  await expect(result).rejects.toThrow('the disk is full')
  const { length } = store.find('events', {})
  end.resolve('late done')
  await h.clock.settle()
  expect(store.find('events', {})).toHaveLength(length)
  expectOrder(h, started)
})

const steered = ({ ids }: { readonly ids: readonly string[] }) => ({
  calls: [['task', { prompt: 'more', continue: ids[0], subagent_type: 'a' }]] as const,
})
const steering = { main: [{ calls: [spawn('a')] }, steered, slow('never')], a: [slow('never')] }

test('a call that steers a subagent does so once, and is never unknown, whenever its process ends', async () => {
  const first = cutStore()
  const h = stage(steering, { store: first })
  await h.start('go')
  await h.clock.settle()
  expect(first.find('tool_calls', {}).map(({ status }) => status)).toEqual(['completed', 'completed'])
  expect(first.find('inbox', {}).map(({ text }) => text)).toEqual(['more'])
  for (let commits = 1; commits <= first.commits; commits++) {
    const store = await first.cut(commits)
    const next = stage({ a: [] }, { store, clock: handClock(beginsAfterMs(store)) })
    await next.recover()
    expect(store.find('tool_calls', {}).filter(({ status }) => status === 'unknown')).toEqual([])
    expect(store.find('inbox', {}).filter(({ kind }) => kind === 'user').length).toBeLessThan(2)
    for (const { id } of store.find('conversations', {})) expectOrder(next, { conversationId: id })
  }
})

test('a call that has steered a subagent is not unknown where that was not stored', async () => {
  const areBothStored = (tx: Tx) =>
    tx.find('tool_calls', {}).filter(({ status }) => status === 'completed').length > 1
  const h = stage(steering, { store: failing(areBothStored) })
  const started = await h.start('go')
  await expect(h.clock.until(started.result)).rejects.toThrow('the disk is full')
  expect(h.store.find('tool_calls', {}).map(({ status }) => status)).toEqual(['completed', 'failed'])
  expectOrder(h, started)
})

/** So many microtasks after the n-th transaction was asked for, or was stored. */
interface Moment {
  readonly n: number
  readonly stored: boolean
  readonly hops: number
}
const moments: readonly Moment[] = [1, 2, 3, 4].flatMap((n) =>
  [false, true].flatMap((stored) => Array.from({ length: 12 }, (_, hops) => ({ n, stored, hops }))),
)

async function hop(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await Promise.resolve()
}

/** A store beside one of whose transactions something else is asked for. */
function beside(store: Store, { n, stored, hops }: Moment, act: () => unknown): Store {
  let count = 0
  const tx: Store['tx'] = (write, options) => {
    const done = store.tx(write, options)
    if (++count === n) void (stored ? done : Promise.resolve()).then(() => hop(hops)).then(act)
    return done
  }
  return { ...store, tx }
}

const asking = tool('ask', { execute: (_, { ask }) => ask!({ question: 'Which?', options: [] }) })
const answers = [
  [
    'approval',
    'read',
    ({ runtime, store }: Staged) =>
      runtime.approvals.answer(store.find('approvals', {})[0]!.id, { answer: 'once', by: 'me' }),
  ],
  [
    'question',
    'ask',
    ({ runtime, store }: Staged) =>
      runtime.questions.answer(store.find('questions', {})[0]!.id, { text: 'this', by: 'me' }),
  ],
] as const

test.each(answers)(
  'the answer to a stored %s counts, whenever it comes while its run is taken up',
  async (_, name, answer) => {
    const layers = [...allow, { name: 'ask', rules: [{ tool: 'read', action: 'ask' as const }] }]
    const tools = [tool('read'), asking]
    const before = cutStore()
    const asked = stage({ main: [{ calls: [[name, {}]] }] }, { store: before, layers, tools })
    asked.runtime.approvals.attend()
    await asked.start('go')
    await asked.clock.settle()
    expect(statuses(asked)).toEqual(['main waiting'])
    let answered = 0
    for (const moment of moments) {
      const left = await before.cut(before.commits)
      let given: Promise<void> | undefined
      const store = beside(left, moment, () => (given = answer(next)))
      const clock = handClock(beginsAfterMs(left))
      const next = stage({ main: [{ text: 'main is done' }] }, { store, layers, tools, clock })
      next.runtime.approvals.attend()
      await next.recover()
      if (!given) continue // it waits by then
      await next.clock.until(given)
      await next.clock.settle()
      expect(statuses(next), JSON.stringify(moment)).toEqual(['main completed'])
      answered++
    }
    expect(answered).toBeGreaterThan(12)
  },
)

describe('what is cancelled while somebody begins to drive it', () => {
  const paused = async () => {
    const before = cutStore()
    const first = stage({ main: [slow('never')] }, { store: before })
    const { conversationId, runId } = await first.start('go')
    await first.clock.settle()
    await first.perform(conversationId, { verb: 'interrupt', target: conversationId, args: null })
    expect(statuses(first)).toEqual(['main paused'])
    return { before, conversationId, runId }
  }
  const part = { main: [slow('main is done')] }
  const cancelling = (h: Staged, id: ConversationId) =>
    h.perform(id, { verb: 'cancel', target: id, args: null }).catch((error: unknown) => expectConflict(error))
  const continuing = (h: Staged, id: ConversationId) =>
    h.continue(id).then(({ started }) => started && h.clock.until(started.result), expectConflict)
  const expectConflict = (error: unknown) => expect(error).toMatchObject({ code: 'conflict' })
  const expectFinal = (store: Store, id: ConversationId, runId: RunId, moment: string) => {
    const told = readEvents(store, id, 0).filter((event) => event.runId === runId)
    const at = told.findIndex(({ type }) => type === 'run.cancelled')
    expect(at === -1 ? [] : told.slice(at + 1).map(({ type }) => type), moment).toEqual([])
    expect(conversationProblems(store, id), moment).toEqual([])
    return at === -1 ? 'goes on' : 'is cancelled'
  }

  test('stays cancelled, where the cancel comes later', async () => {
    const { before, conversationId, runId } = await paused()
    const became = new Set<string>()
    for (const moment of moments) {
      const left = await before.cut(before.commits)
      let cancelled: Promise<unknown> | undefined
      const store = beside(left, moment, () => (cancelled = cancelling(next, conversationId)))
      const next = stage(part, { store, clock: handClock(beginsAfterMs(left)) })
      await continuing(next, conversationId)
      await cancelled
      became.add(expectFinal(store, conversationId, runId, JSON.stringify(moment)))
    }
    expect([...became].toSorted()).toEqual(['goes on', 'is cancelled'])
  })

  test('is stopped first, where it goes on while its processes are being ended', async () => {
    let gate = Promise.resolve()
    const parts = {
      main: [{ calls: [foreground('a')] }, { text: 'main is done' }],
      a: [slow('never'), slow('a is done')],
    }
    const h = stage(parts, { endProcesses: () => gate.then(() => []) })
    const started = await h.start('go')
    await h.clock.advance(10)
    const [id, target] = [started.conversationId, branchOf(h, 'a')]
    await h.perform(id, { verb: 'interrupt', target, args: null })
    const ended = Promise.withResolvers<void>()
    gate = ended.promise
    const cancelled = h.perform(id, { verb: 'cancel', target, args: null })
    await h.clock.settle()
    await h.perform(id, { verb: 'continue', target, args: { text: 'go on' } })
    await h.clock.settle()
    expect(statuses(h)).toEqual(['main waiting', 'a running'])
    ended.resolve()
    expect(await cancelled).toMatchObject({ outcome: 'cancelled', runs: 1 })
    expect(await h.clock.until(started.result)).toMatchObject({ text: 'main is done' })
    expect(statuses(h)).toEqual(['main completed', 'a cancelled'])
    expectOrder(h, started)
  })

  test('takes nothing along that begins below it while its processes are being ended: that is refused', async () => {
    let gate = Promise.resolve()
    const parts = {
      main: [{ calls: [foreground('a')] }, slow('never')],
      a: [{ text: 'a' }, { text: 'again' }],
    }
    const h = stage(parts, { endProcesses: () => gate.then(() => []) })
    const started = await h.start('go')
    await h.clock.advance(10)
    expect(statuses(h)).toEqual(['main running', 'a completed'])
    const id = started.conversationId
    const ended = Promise.withResolvers<void>()
    gate = ended.promise
    const cancelled = h.perform(id, { verb: 'cancel', target: branchOf(h, 'main'), args: null })
    await h.clock.settle()
    const more = { verb: 'continue', target: branchOf(h, 'a'), args: { text: 'more' } } as const
    await expect(h.perform(id, more)).rejects.toThrow(/is below .*, which is being cancelled/)
    ended.resolve()
    expect(await cancelled).toMatchObject({ outcome: 'cancelled', runs: 1 })
    expect(statuses(h)).toEqual(['main cancelled', 'a completed'])
    await h.perform(id, more)
    await h.clock.advance(100)
    expect(statuses(h)).toEqual(['main cancelled', 'a completed', 'a completed'])
    expectOrder(h, started)
  })

  test('stays cancelled, where the cancel comes first', async () => {
    const { before, conversationId, runId } = await paused()
    for (let hops = 0; hops < 24; hops++) {
      const store = await before.cut(before.commits)
      const next = stage(part, { store, clock: handClock(beginsAfterMs(store)) })
      const cancelled = cancelling(next, conversationId)
      await hop(hops)
      await Promise.all([cancelled, continuing(next, conversationId)])
      expectFinal(store, conversationId, runId, `${hops} hops`)
    }
  })

  test('is waited for, where its pause was not stored and its processes are being ended', async () => {
    const isPaused = (tx: Tx) => tx.find('runs', {}).some(({ status }) => status === 'paused')
    const store = failing(isPaused)
    let transactions = 0
    const tx: Store['tx'] = (write, options) => {
      transactions++
      return store.tx(write, options)
    }
    const ended = Promise.withResolvers<never[]>()
    let calls = 0
    const endProcesses = async () => (++calls === 2 ? await ended.promise : [])
    const h = stage({ main: [slow('never')] }, { store: { ...store, tx }, endProcesses })
    const { conversationId: target, result } = await h.start('go')
    await h.clock.settle()
    const interrupted = h.perform(target, { verb: 'interrupt', target, args: null })
    await h.clock.settle()
    const cancelled = h.perform(target, { verb: 'cancel', target, args: null })
    await h.clock.settle()
    const before = transactions
    await h.clock.settle()
    expect(transactions).toBe(before)
    ended.resolve([])
    await expect(result).rejects.toThrow('the disk is full')
    await interrupted
    expect(await cancelled).toMatchObject({ outcome: 'already_finished', status: 'failed' })
    expect(statuses(h)).toEqual(['main failed'])
  })
})
