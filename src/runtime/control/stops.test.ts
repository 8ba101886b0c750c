import { describe, expect, test } from 'vitest'
import { conversationProblems, expectEvents } from '../../../test/support/conversation-problems.ts'
import { harness, refusals, stores, tool, type Harness } from '../../../test/support/runtime-harness.ts'
import { buildContext } from '../../core/build-context.ts'
import type { BranchId } from '../../core/ids.ts'
import { createToPrompt } from '../../model/provider-prompt.ts'
import { createMemoryStore } from '../../store/memory.ts'
import type { Store } from '../../store/port.ts'
import { readMessages } from '../run/messages.ts'

const task = (prompt: string) => ({ tool: 'task', input: { prompt, subagent_type: 'explore' } })
const kind = tool('kind', {
  execute: (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
})
const deaf = tool('deaf', { execute: () => new Promise(() => {}) })
const quick = tool('quick')
const use = (name: string) => ({ tool: name, input: {} })

/** A main agent with two children at work and a call of its own. */
const script = {
  main: [{ text: 'I ask two.', toolCalls: [task('a'), use('quick'), task('b')] }],
  explore: [
    { match: '^a', text: 'looking', toolCalls: [use('kind')] },
    { match: '^b', text: 'looking too', toolCalls: [use('deaf')] },
  ],
}

function runs(h: Harness) {
  return h.store
    .find('runs', {})
    .map(({ agent, status, reason, endReason }) => [agent, status, reason ?? endReason])
}

function resultsOf(h: Harness, name: string) {
  return h.store
    .find('parts', {})
    .map(({ part }) => part)
    .filter((part) => part.type === 'tool-result' && part.tool === name)
}

describe.each(stores)('a tree in the %s store', (_, open) => {
  test('that is paused keeps the calls open that wait for children', async () => {
    const store = await open()
    const h = harness({ store, tools: [kind, deaf, quick], script })
    const started = await h.start('go')
    await h.clock.settle()
    started.stop('pause')
    const result = await h.clock.until(started.result)
    expect(result).toMatchObject({ status: 'paused', reason: 'user', text: 'I ask two.' })
    expect(runs(h)).toEqual([
      ['main', 'paused', 'user'],
      ['explore', 'paused', 'parent'],
      ['explore', 'paused', 'parent'],
    ])
    const tasks = store.find('tool_calls', { where: { tool: 'task' } })
    expect(tasks.map(({ status, resultPartId }) => [status, resultPartId])).toEqual([
      ['running', null],
      ['running', null],
    ])
    expect(resultsOf(h, 'task')).toEqual([])
    expect(resultsOf(h, 'quick')).toMatchObject([{ status: 'completed' }])
    h.flush()
    expect(h.told.filter(({ type }) => type === 'report.delivered')).toEqual([])
    expectEvents(store, started.conversationId, h.told)
    expect(conversationProblems(store, started.conversationId)).toEqual([])
    expect(refusals([...promptOf(store, started.branchId), userMessage])).toEqual([])
    await store.close()
  })

  test('that its program leaves is paused by nobody, and goes on as a whole', async () => {
    const store = await open()
    const h = harness({ store, tools: [kind, deaf, quick], script })
    const started = await h.start('go')
    await h.clock.settle()
    started.stop('leave')
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'paused', reason: 'restart' })
    expect(runs(h)).toEqual([
      ['main', 'paused', 'restart'],
      ['explore', 'paused', 'parent'],
      ['explore', 'paused', 'parent'],
    ])
    const again = await h.clock.until(h.continue(started.branchId))
    await h.clock.settle()
    expect(runs(h).map(([, status]) => status)).not.toContain('paused')
    again.started!.stop('cancel')
    await h.clock.until(again.started!.result)
    await store.close()
  })

  test('leaves a subagent that a person has asked to pause as paused by that person', async () => {
    const store = await open()
    const h = harness({ store, tools: [kind, deaf, quick], script })
    const started = await h.start('go')
    await h.clock.settle()
    const asked = h.store.find('runs', {}).find(({ parentRunId }) => parentRunId === started.runId)!
    await h.clock.until(h.perform(started.conversationId, { verb: 'pause', target: asked.id, args: null }))
    started.stop('leave')
    await h.clock.until(started.result)
    expect(runs(h)).toEqual([
      ['main', 'paused', 'restart'],
      ['explore', 'paused', 'user'],
      ['explore', 'paused', 'parent'],
    ])
    await store.close()
  })

  test('that a person has asked to pause before its program leaves it is paused by that person', async () => {
    const store = await open()
    const h = harness({ store, tools: [kind, deaf, quick], script })
    const started = await h.start('go')
    await h.clock.settle()
    await h.clock.until(
      h.perform(started.conversationId, { verb: 'pause', target: started.runId, args: null }),
    )
    started.stop('leave')
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'paused', reason: 'user' })
    await store.close()
  })

  test('that is cancelled ends for good, and each call has a result', async () => {
    const store = await open()
    const h = harness({ store, tools: [kind, deaf, quick], script })
    const started = await h.start('go')
    await h.clock.settle()
    started.stop('cancel')
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'cancelled', endReason: 'user' })
    expect(runs(h)).toEqual([
      ['main', 'cancelled', 'user'],
      ['explore', 'cancelled', 'parent'],
      ['explore', 'cancelled', 'parent'],
    ])
    expect(resultsOf(h, 'task')).toMatchObject([{ status: 'failed' }, { status: 'failed' }])
    h.flush()
    expectEvents(store, started.conversationId, h.told)
    expect(conversationProblems(store, started.conversationId)).toEqual([])
    await store.close()
  })

  test('that is cancelled while it pauses leaves nothing paused below', async () => {
    const store = await open()
    const h = harness({ store, tools: [kind, deaf, quick], script })
    const started = await h.start('go')
    await h.clock.settle()
    started.stop('pause')
    await h.clock.advance(1_000) // the child with the kind tool has paused, the one with the deaf tool is held up
    expect(runs(h).map(([, status]) => status)).toEqual(['waiting', 'paused', 'running'])
    started.stop('cancel')
    await h.clock.until(started.result)
    expect(runs(h)).toEqual([
      ['main', 'cancelled', 'user'],
      ['explore', 'cancelled', 'parent'],
      ['explore', 'cancelled', 'parent'],
    ])
    h.flush()
    expectEvents(store, started.conversationId, h.told)
    expect(conversationProblems(store, started.conversationId)).toEqual([])
    await store.close()
  })
})

const userMessage = { role: 'user' as const, content: [{ type: 'text' as const, text: 'go on' }] }

function promptOf(store: Store, branchId: BranchId) {
  const branches = new Map(store.find('branches', {}).map((branch) => [branch.id, branch]))
  return createToPrompt()(buildContext({ branches, messages: (id) => readMessages(store, id) }, branchId))
}

test('children that had reported before the stop keep their results', async () => {
  const explore = [
    { match: '^a', text: 'report a' },
    { match: '^b', toolCalls: [use('kind')] },
  ]
  const h = harness({ tools: [kind, quick], script: { main: script.main, explore } })
  const started = await h.start('go')
  await h.clock.settle()
  started.stop('pause')
  await h.clock.until(started.result)
  expect(runs(h).map(([, status]) => status)).toEqual(['paused', 'completed', 'paused'])
  expect(resultsOf(h, 'task')).toHaveLength(1)
  expect(conversationProblems(h.store, started.conversationId)).toEqual([])
})

test('a stop at any moment of the start of a child leaves no child running', async () => {
  for (let moment = 0; moment < 60; moment++) {
    const h = harness({ tools: [kind, deaf, quick], script })
    const started = await h.start('go')
    for (let tick = 0; tick < moment; tick++) await Promise.resolve()
    if (moment >= 30)
      for (let turn = 30; turn < moment; turn++) await new Promise((resolve) => setImmediate(resolve))
    started.stop(moment % 2 === 0 ? 'pause' : 'cancel')
    await h.clock.until(started.result)
    expect(conversationProblems(h.store, started.conversationId)).toEqual([])
  }
})

test('a stop that comes between the birth of a child and its first request reaches the child', async () => {
  const h = harness({ tools: [quick], script: { ...script, explore: [{ text: 'r' }, { text: 'r' }] } })
  const tx = h.store.tx.bind(h.store)
  h.store.tx = async (write, options) => {
    const before = h.store.count('branches', {})
    const value = await tx(write, options)
    if (before === 1 && h.store.count('branches', {}) > 1) started.stop('pause')
    return value
  }
  const started = await h.start('go')
  await h.clock.until(started.result)
  expect(h.scripted.requests.map(({ agent }) => agent)).toEqual(['main'])
  expect(runs(h).map(([, status, reason]) => `${status} ${reason}`)).toEqual([
    'paused user',
    'paused parent',
    'paused parent',
  ])
})

describe('a store that fails', () => {
  const slow = { timeout: 60_000 }
  const disk = new Error('the disk is gone')

  /** A store where so many writes fail, the n-th first. */
  function failing(n: number, times: number) {
    const store = createMemoryStore()
    const tx = store.tx.bind(store)
    let count = 0
    store.tx = (write, options) => {
      count++
      const fails = count >= n && count < n + times
      return fails ? new Promise((_, reject) => setImmediate(() => reject(disk))) : tx(write, options)
    }
    return { store, writes: () => count }
  }

  async function writesOfAll() {
    const { store, writes } = failing(Infinity, 1)
    await harness({ store, tools: [quick], script: whole }).run('go')
    return writes()
  }
  const whole = {
    main: [{ text: 'x', toolCalls: [task('a'), use('quick'), task('b')] }, { text: 'end' }],
    explore: [
      { match: '^[ab]$', toolCalls: [use('quick')] },
      { match: '^[ab]$', toolCalls: [use('quick')] },
      { text: 'report' },
      { text: 'report' },
    ],
  }

  async function endOf(n: number, times: number) {
    const { store } = failing(n, times)
    const h = harness({ store, tools: [quick], script: whole })
    const { result } = await h.start('go')
    const ended: unknown = await h.clock.until(
      result.then(
        ({ status }) => status,
        (error: unknown) => error,
      ),
    )
    return { store, ended }
  }

  test('while a call has its effect: that is told as not known, and to the next run too', async () => {
    const store = createMemoryStore()
    const tx = store.tx.bind(store)
    let fails = 0
    store.tx = (write, options) => (fails-- > 0 ? Promise.reject(disk) : tx(write, options))
    const effect = tool('effect', {
      effects: 'execute',
      idempotent: false,
      execute: () => {
        fails = 1
        return 'it is done'
      },
    })
    const layers = [{ name: 'test', rules: [{ tool: '*', action: 'allow' } as const] }]
    const script = { main: [{ toolCalls: [use('effect')] }, { text: 'I see.' }] }
    const h = harness({ store, tools: [effect], script, layers })
    const { result, conversationId } = await h.start('go')
    await expect(h.clock.until(result)).rejects.toThrow('the disk is gone')
    expect(store.find('tool_calls', {})[0]).toMatchObject({ status: 'unknown' })
    expect(store.find('runs', {})[0]).toMatchObject({ status: 'failed' })
    const { started } = await h.continue(conversationId)
    await h.clock.until(started!.result)
    expect(JSON.stringify(h.scripted.requests.at(-1))).toContain('its effect is unknown')
    expect(conversationProblems(store, conversationId)).toEqual([])
  })

  test('for good, at any write: the result rejects with its error, and everything stops', slow, async () => {
    const all = await writesOfAll()
    expect(all).toBeGreaterThan(14)
    for (let n = 2; n <= all; n++) {
      const { store } = failing(n, Infinity)
      const h = harness({ store, tools: [quick], script: whole })
      const { result } = await h.start('go')
      await expect(h.clock.until(result), `write ${n}`).rejects.toBe(disk)
      await h.clock.advance(20_000)
      expect(h.clock.pending(), `write ${n}`).toBe(0)
    }
  })

  test('once, at any write: nothing hangs, and no run stays open', slow, async () => {
    const all = await writesOfAll()
    for (let n = 2; n <= all; n++) {
      const { store, ended } = await endOf(n, 1)
      expect([disk, 'completed'], `write ${n}`).toContain(ended)
      const open = store.find('runs', {}).filter(({ endedAt }) => endedAt === null)
      expect(open, `write ${n}`).toEqual([])
    }
  })

  test(
    'twice in a row, at any write: nothing hangs, and nobody goes on with what was not written',
    slow,
    async () => {
      const all = await writesOfAll()
      for (let n = 2; n <= all; n++) {
        const { store, ended } = await endOf(n, 2)
        expect([disk, 'completed'], `write ${n}`).toContain(ended)
        const { id } = store.find('conversations', {})[0]!
        if (ended === 'completed') expect(conversationProblems(store, id), `write ${n}`).toEqual([])
      }
    },
  )

  test('for a while, from any write on: no run is left open below one that has ended', slow, async () => {
    const all = await writesOfAll()
    for (const times of [2, 3, 4, 5])
      for (let n = 2; n <= all; n++) {
        const { store } = await endOf(n, times)
        const ended = new Set(store.find('runs', {}).flatMap((run) => (run.endedAt === null ? [] : [run.id])))
        const left = store.find('runs', {}).filter(({ id, parentRunId }) => {
          return !ended.has(id) && ended.has(parentRunId!)
        })
        expect(left, `write ${n}, ${times} times`).toEqual([])
      }
  })

  test('at the first write: the start rejects', async () => {
    const { store } = failing(1, Infinity)
    await expect(harness({ store }).start('go')).rejects.toBe(disk)
  })
})
