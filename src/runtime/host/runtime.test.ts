import { describe, expect, test } from 'vitest'
import { conversationProblems, expectEvents } from '../../../test/support/conversation-problems.ts'
import {
  finish,
  harness,
  refusals,
  shownPrompt,
  stores,
  tool,
} from '../../../test/support/runtime-harness.ts'
import { buildContext } from '../../core/build-context.ts'
import { OffshootError } from '../../core/errors.ts'
import { createToPrompt } from '../../model/provider-prompt.ts'
import type { Store } from '../../store/port.ts'
import { readMessages } from '../run/messages.ts'

const read = { tool: 'read', input: { path: 'a' } }
const tools = [tool('read')]
const delegate = (prompt: string, more = {}) => ({
  tool: 'task',
  input: { prompt, subagent_type: 'explore', ...more },
})
const script = {
  main: [
    {
      text: 'I ask.',
      toolCalls: [delegate('one'), delegate('two'), read],
      usage: { input: 100, output: 10 },
    },
    { text: 'All done.', chunks: 4, usage: { input: 200, output: 20 } },
  ],
  explore: [
    { toolCalls: [read], usage: { input: 10, output: 1 } },
    { toolCalls: [read], usage: { input: 10, output: 1 } },
    { text: 'report', usage: { input: 30, output: 3 } },
    { text: 'report', usage: { input: 30, output: 3 } },
  ],
}

describe.each(stores)('a conversation in the %s store', (_, open) => {
  test('begins with everything in one transaction', async () => {
    const { store, groups } = watched(await open())
    const h = harness({ store, script: { main: [{ text: 'x' }] } })
    const { conversationId, result } = await h.start('Hello there\nmore')
    expect(groups[0]).toEqual([
      'conversations',
      'branches',
      'messages',
      'parts',
      'runs',
      'messages',
      'parts',
      'events',
    ])
    expect(store.get('conversations', conversationId)).toMatchObject({
      directory: '/w',
      title: 'Hello there',
    })
    await h.clock.until(result)
    await store.close()
  })

  test('tells what it stores, in order and without gaps, and only that', async () => {
    const store = await open()
    const h = harness({ store, tools, script })
    const { conversationId, status } = await h.run('go')
    h.flush()
    expect(status).toBe('completed')
    const events = expectEvents(store, conversationId, h.told)
    expect(conversationProblems(store, conversationId)).toEqual([])
    const types = events.map(({ type }) => type)
    expect(types.slice(0, 3)).toEqual(['conversation.created', 'branch.created', 'message.appended'])
    expect(types.at(-1)).toBe('run.completed')
    expect(types).not.toContain('part.delta')
    expect(h.told.some(({ type }) => type === 'part.delta')).toBe(true)
    await store.close()
  })

  test('reads back as the context that its model last saw, and its answer', async () => {
    const store = await open()
    const h = harness({ store, tools, script })
    const { conversationId, branchId } = await h.run('go')
    const branches = store.find('branches', { where: { conversationId } })
    const tree = {
      branches: new Map(branches.map((branch) => [branch.id, branch])),
      messages: (id: typeof branchId) => readMessages(store, id),
    }
    const prompt = createToPrompt()(buildContext(tree, branchId))
    const last = h.scripted.requests.findLast(({ agent }) => agent === 'main')!.options.prompt
    expect(prompt.slice(0, -1)).toEqual(last)
    expect(shownPrompt(prompt).at(-1)).toBe('assistant text(All done.)')
    await store.close()
  })

  test('counts each run once in the totals of its tree', async () => {
    const store = await open()
    const h = harness({ store, tools, script })
    const result = await h.run('go')
    expect(result).toMatchObject({ turns: 2, toolCalls: 5, costUsd: 0, usage: { input: 380, output: 38 } })
    expect(result.subagents.map(({ turns, toolCalls, usage }) => [turns, toolCalls, usage.input])).toEqual([
      [2, 1, 40],
      [2, 1, 40],
    ])
    await store.close()
  })

  test('goes on with its whole past, and its totals are those of the new run', async () => {
    const store = await open()
    const again = { ...script, main: [...script.main, { text: 'And more.', usage: { input: 7, output: 7 } }] }
    const h = harness({ store, tools, script: again })
    const { conversationId } = await h.run('go')
    const second = await h.run('and?', { conversationId })
    expect(second).toMatchObject({ text: 'And more.', toolCalls: 0, usage: { input: 7 }, subagents: [] })
    expect(h.scripted.requests.flatMap(({ options }) => refusals(options.prompt))).toEqual([])
    const shown = shownPrompt(h.scripted.requests.at(-1)!.options.prompt)
    expect(shown.map((line) => line.split(' ')[0])).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    h.flush()
    expectEvents(store, conversationId, h.told)
    await store.close()
  })

  test('of two runs that start at the same time on one conversation, one is refused and leaves nothing', async () => {
    const store = await open()
    const h = harness({ store, script: { main: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] } })
    const { conversationId } = await h.run('go')
    const settled = await Promise.allSettled([
      h.start('x', { conversationId }),
      h.start('y', { conversationId }),
    ])
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect((settled[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'conflict' })
    await h.clock.until(
      (settled[0] as PromiseFulfilledResult<Awaited<ReturnType<typeof h.start>>>).value.result,
    )
    expect(store.count('runs', { conversationId })).toBe(2)
    await store.close()
  })
})

test('a run without text says the same in its last event, told and stored', async () => {
  const h = harness({ script: { main: [{}, {}] } })
  const { conversationId } = await h.run('go')
  h.flush()
  expect(expectEvents(h.store, conversationId, h.told).at(-1)).toMatchObject({
    type: 'run.failed',
    report: null,
  })
})

test('live events carry the last seq and a sub that counts on from it', async () => {
  const h = harness({
    tools,
    script: { main: [{ text: 'abcdef', chunks: 6, toolCalls: [read] }, { text: 'x' }] },
  })
  await h.run('go')
  h.flush()
  let seq = 0
  let sub = 0
  for (const event of h.told) {
    if (event.sub === undefined) [seq, sub] = [event.seq, 0]
    else {
      if (seq !== 0) expect(event.seq).toBe(seq)
      expect(event.sub).toBeGreaterThan(sub)
      sub = event.sub
    }
  }
})

test('partial text is stored at most every 250 ms, and completed with the rest', async () => {
  let controller!: ReadableStreamDefaultController
  const { harness: made, partsOf } = streaming((c) => void (controller = c))
  const { result } = await made.start('go')
  const told: string[] = []
  for (const word of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await made.clock.advance(100)
    controller.enqueue({ type: 'text-delta', id: 't', delta: word })
    await made.clock.settle()
    told.push(partsOf())
  }
  expect(told).toEqual(['', '', '', 'abc', 'abc', 'abc'])
  controller.enqueue(finish())
  await made.clock.until(result)
  expect(partsOf()).toBe('abcdef')
})

test('what came before a model hangs is stored all the same', async () => {
  let controller!: ReadableStreamDefaultController
  const { harness: made, partsOf } = streaming((c) => void (controller = c))
  const { result } = await made.start('go')
  await made.clock.settle()
  controller.enqueue({ type: 'text-delta', id: 't', delta: 'only this' })
  await made.clock.settle()
  expect(partsOf()).toBe('')
  await made.clock.advance(250)
  expect(partsOf()).toBe('only this')
  controller.enqueue(finish())
  await made.clock.until(result)
})

function streaming(start: (controller: ReadableStreamDefaultController) => void) {
  const model = {
    info: { id: 'own/model', provider: 'own', label: 'own', window: null, maxOutput: null, price: null },
    stream: async () => new ReadableStream({ start }),
  }
  const made = harness({ model })
  const partsOf = () => {
    const message = made.store.find('messages', { where: { role: 'assistant' } })[0]
    return made.store
      .find('parts', { where: message ? { messageId: message.id } : { position: 99 } })
      .map(({ part }) => (part.type === 'text' ? part.text : ''))
      .join()
  }
  return { harness: made, partsOf }
}

test('an unknown price is null all the way up, never 0', async () => {
  let controller!: ReadableStreamDefaultController
  const { harness: made } = streaming((c) => void (controller = c))
  const { result } = await made.start('go')
  await made.clock.settle()
  controller.enqueue({
    type: 'finish',
    finishReason: { unified: 'stop' },
    usage: { inputTokens: {}, outputTokens: {} },
  })
  controller.close()
  await made.clock.settle()
  expect((await made.clock.until(result)).costUsd).toBeNull()
})

test('a model that cannot be used fails the run with code and hint; one whose loading hangs can be stopped', async () => {
  const missing = harness({
    resolveModel: () => Promise.reject(new OffshootError('key', 'no key', { hint: 'set one' })),
  })
  expect(await missing.run('go')).toMatchObject({
    status: 'failed',
    error: { code: 'key', message: 'no key', hint: 'set one' },
  })
  const broken = harness({ resolveModel: () => Promise.reject(new TypeError('broken')) })
  expect(await broken.run('go')).toMatchObject({
    status: 'failed',
    error: { code: 'internal', message: 'broken' },
  })
  const hanging = harness({ resolveModel: () => new Promise(() => {}) })
  const started = await hanging.start('go')
  started.stop('pause')
  expect(await hanging.clock.until(started.result)).toMatchObject({ status: 'paused', reason: 'user' })
})

test('an unknown conversation is refused by its id', async () => {
  const h = harness()
  await expect(h.start('x', { conversationId: 'cnv_none' as never })).rejects.toMatchObject({
    code: 'not_found',
  })
})

/** The tables that each transaction wrote to, in order. */
function watched(store: Store) {
  const groups: string[][] = []
  const tx = store.tx.bind(store)
  store.tx = (write, options) =>
    tx((inner) => {
      const tables: string[] = []
      groups.push(tables)
      return write({
        get: inner.get.bind(inner),
        find: inner.find.bind(inner),
        count: inner.count.bind(inner),
        update: inner.update.bind(inner),
        delete: inner.delete.bind(inner),
        insert: (table, row) => (tables.push(table), inner.insert(table, row)),
      })
    }, options)
  return { store, groups }
}
