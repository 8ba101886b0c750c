import { expect, test } from 'vitest'
import {
  called,
  finish,
  harness,
  rawModel,
  refusals,
  said,
  shownPrompt,
  streamOf,
  tool,
} from '../../test/support/runtime-harness.ts'
import { ProviderError } from '../core/errors.ts'
import type { ModelRequest } from '../model/port.ts'

const busy = { status: 429, retryAfter: 30 }

test('a provider that is busy is asked again after the time that it named, visibly', async () => {
  const h = harness({ script: { main: [{ error: busy }, { text: 'at last' }] } })
  const { result, runId } = await h.start('go')
  await h.clock.settle()
  const now = h.clock.now()
  const waiting = h.store.get('runs', runId)!
  expect(waiting).toMatchObject({ status: 'waiting', reason: 'retry' })
  expect(waiting.waitingFor).toMatchObject({ what: 'retry', since: now })
  expect(waiting.waitingFor!.detail).toContain('429')
  expect(waiting.waitingFor!.until! - now).toBeGreaterThanOrEqual(30_000)
  await h.clock.advance(29_999)
  expect(h.scripted.requests).toHaveLength(1)
  expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'at last', turns: 1 })
  expect(h.clock.now() - now).toBeLessThanOrEqual(33_016)
  expect(h.store.get('runs', runId)!.waitingFor).toBeNull()
  h.flush()
  const states = h.told.filter(({ type }) => type.startsWith('run.')).map(({ type }) => type)
  expect(states).toEqual(['run.waiting', 'run.resumed', 'run.completed'])
})

test('a wait for a provider is no stall', async () => {
  const script = { main: [{ error: { status: 429, retryAfter: 500 } }, { text: 'at last' }] }
  const h = harness({ script, config: { limits: { stallMs: 1_000 } } })
  expect((await h.run('go')).status).toBe('completed')
})

test('tries have an end, and an error that would come again is not tried again', async () => {
  const always = { error: { status: 529 } }
  const tired = harness({ script: { main: Array(10).fill(always) } })
  const failed = await tired.run('go')
  expect(failed).toMatchObject({ status: 'failed', endReason: 'error', error: { code: 'provider' } })
  expect(failed.error!.message).toContain('529')
  expect(tired.scripted.requests).toHaveLength(6)
  const refused = harness({ script: { main: [{ error: { status: 401 } }] } })
  expect(await refused.run('go')).toMatchObject({ status: 'failed', error: { code: 'provider' }, text: '' })
  expect(refused.scripted.requests).toHaveLength(1)
})

test('a stream that is cut is asked for again; what it had said is kept for people and not sent', async () => {
  const seen: ModelRequest['messages'][] = []
  const model = rawModel((n, request) => {
    seen.push(structuredClone(request.messages))
    return n === 0 ? said('lost words') : [...said('whole'), finish()]
  })
  const h = harness({ model })
  const result = await h.run('go')
  expect(result).toMatchObject({ status: 'completed', text: 'whole', turns: 1 })
  expect(seen).toHaveLength(2)
  expect(seen[1]).toEqual(seen[0])
  const messages = h.store.find('messages', { where: { role: 'assistant' }, orderBy: 'id' })
  expect(messages.map(({ state }) => state)).toEqual(['interrupted', 'complete'])
  const parts = h.store.find('parts', { where: { messageId: messages[0]!.id } })
  expect(parts.map(({ part }) => part)).toMatchObject([{ type: 'text', text: 'lost words' }])
})

test('a model that never answers is a stall after stallMs, and not before', async () => {
  for (const stream of [() => new Promise<never>(() => {}), async () => streamOf([], 'open')]) {
    const h = harness({ model: rawModel(stream), config: { limits: { stallMs: 45_000 } } })
    const { result, runId } = await h.start('go')
    await h.clock.advance(44_999)
    expect(h.store.get('runs', runId)!.status).toBe('running')
    await h.clock.advance(1)
    expect(await result).toMatchObject({ status: 'paused', reason: 'stall', endReason: 'stall', text: '' })
    expect((await result).note).toBe('no events for 45 s; no text: the run was paused without writing any')
    h.flush()
    expect(h.clock.pending()).toBe(0)
  }
})

test('every piece of an answer starts the time of a stall again', async () => {
  let controller!: ReadableStreamDefaultController
  const stream = new ReadableStream({ start: (created) => void (controller = created) })
  const h = harness({ model: rawModel(async () => stream), config: { limits: { stallMs: 45_000 } } })
  const { result } = await h.start('go')
  for (const word of ['a', 'b', 'c', 'd']) {
    await h.clock.advance(40_000)
    controller.enqueue({ type: 'text-delta', id: 't', delta: word })
  }
  await h.clock.settle()
  expect(await h.clock.until(result)).toMatchObject({ status: 'paused', reason: 'stall', text: 'abcd' })
  expect((await result).note).toBe('no events for 45 s; partial: the text of turn 1, cut off before its end')
})

test('an answer is whole at its finish: what follows is not waited for, and the stream is closed', async () => {
  let cancelled = false
  const pieces = [...said('whole'), finish()]
  const stream = new ReadableStream({
    start: (controller) => pieces.forEach((piece) => controller.enqueue(piece)),
    cancel: () => void (cancelled = true),
  })
  const h = harness({ model: rawModel(async () => stream) })
  expect(await h.run('go')).toMatchObject({ status: 'completed', text: 'whole' })
  await h.clock.advance(5_000)
  expect(cancelled).toBe(true)
})

test.each([
  [
    'throws a TypeError',
    () => {
      throw new TypeError('x is not a function')
    },
    'x is not a function',
  ],
  ['rejects with text', () => Promise.reject('just text'), 'just text'],
  ['rejects with nothing', () => Promise.reject(undefined), 'undefined'],
  ['returns nothing', async () => undefined as never, 'own/model failed'],
  ['returns a list', async () => [] as never, 'own/model failed'],
  ['yields nothing at all', () => [undefined], 'cut before its end'],
  ['yields a number', () => [7, null], 'cut before its end'],
  ['yields text that is none', () => [{ type: 'text-delta', id: 't' }], 'undefined where text belongs'],
  ['yields a call without a name', () => [called(undefined)], 'undefined where text belongs'],
  ['yields arguments that are no text', () => [called('read', { a: 1 })], 'object where text belongs'],
  ['ends without usage', () => [{ type: 'finish', finishReason: { unified: 'stop' } }], 'own/model failed'],
  ['ends without a reason', () => [{ ...finish(), finishReason: undefined }], 'own/model failed'],
  ['errors the stream', async () => new ReadableStream({ start: (c) => c.error(new Error('torn')) }), 'torn'],
  ['says an error', () => [{ type: 'error', error: 'refused' }], 'refused'],
  ['says an error without text', () => [{ type: 'error', error: Object.create(null) }], 'unknown error'],
])('a model that %s is a failed run with the words', async (_, answer, text) => {
  const h = harness({ tools: [tool('read')], model: rawModel(answer as never) })
  const result = await h.run('go')
  expect(result).toMatchObject({ status: 'failed', endReason: 'error', error: { code: 'provider' } })
  expect(result.error!.message).toContain(text)
})

test('pieces that nobody knows are passed over', async () => {
  const pieces = [{ type: 'news' }, { type: 'raw', rawValue: 1 }, ...said('fine'), {}, finish()]
  expect(await harness({ model: rawModel(() => pieces) }).run('go')).toMatchObject({ text: 'fine' })
})

test('a context that exceeds the window fails before any request and names the window', async () => {
  let asked = 0
  const model = rawModel(() => (asked++, [...said('no'), finish()]), { window: 1_000 })
  const h = harness({ model })
  const result = await h.run('x'.repeat(10_000))
  expect(result).toMatchObject({ status: 'failed', error: { code: 'window' } })
  expect(result.error!.message).toMatch(/own\/model is 1000/)
  expect(asked).toBe(0)
})

test('a request that failed half way through several tries keeps one interrupted message for each', async () => {
  const cut = new ProviderError('overloaded', { status: 529, retryable: true })
  const model = rawModel((n) =>
    n < 3 ? [...said(`try ${n}`), { type: 'error', error: cut }] : [...said('done'), finish()],
  )
  const h = harness({ model, tools: [tool('read')] })
  expect((await h.run('go')).text).toBe('done')
  const messages = h.store.find('messages', { where: { role: 'assistant' }, orderBy: 'position' })
  expect(messages.map(({ state }) => state)).toEqual([
    'interrupted',
    'interrupted',
    'interrupted',
    'complete',
  ])
})

test('calls in an answer that was asked to have none leave no trace, whatever was stored of it before', async () => {
  let controller!: ReadableStreamDefaultController
  const stream = new ReadableStream({ start: (created) => void (controller = created) })
  const model = rawModel(async (n) => (n === 0 ? streamOf([called('read'), finish('tool-calls')]) : stream))
  const h = harness({ model, tools: [tool('read')] })
  const { result, conversationId } = await h.start('go', { maxTurns: 1 })
  await h.clock.settle()
  controller.enqueue(called('read'))
  for (const delta of ['The ', 'end', '.']) {
    await h.clock.advance(300)
    controller.enqueue({ type: 'text-delta', id: delta, delta })
  }
  controller.enqueue(finish())
  expect(await h.clock.until(result)).toMatchObject({
    status: 'paused',
    endReason: 'max_turns',
    text: 'The end.',
  })
  expect(h.store.count('tool_calls', { conversationId })).toBe(1)
})

test('the next run of a conversation is asked what a provider accepts, after any end', async () => {
  const script = {
    main: [
      { text: 'one', toolCalls: [{ tool: 'read', input: {} }] },
      { error: { status: 400 } },
      { text: 'two' },
    ],
  }
  const h = harness({ script, tools: [tool('read')] })
  const first = await h.run('go')
  expect(first.status).toBe('failed')
  await h.run('again', { conversationId: first.conversationId })
  const prompt = h.scripted.requests.at(-1)!.options.prompt
  expect(refusals(prompt)).toEqual([])
  expect(shownPrompt(prompt).slice(1)).toEqual([
    'user text(go)',
    'assistant text(one) call(read)',
    'tool result(read: read done)',
    'user text(again)',
  ])
})
