import { describe, expect, test } from 'vitest'
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

const read = { tool: 'read', input: {} }
const tools = [tool('read')]
const busy = new ProviderError('busy', { status: 429, retryAfterMs: 60_000, retryable: true })

describe('the report', () => {
  test('is the text of the answer without calls', async () => {
    const h = harness({ script: { main: [{ text: 'Hello.', chunks: 3 }] } })
    const result = await h.run('hi')
    expect(result).toMatchObject({
      status: 'completed',
      reason: null,
      endReason: 'done',
      text: 'Hello.',
      note: null,
      error: null,
      turns: 1,
      toolCalls: 0,
    })
    expect(shownPrompt(h.scripted.requests[0]!.options.prompt)).toEqual([
      'system You are main. Tools: task, task_status, task_output, task_message, task_cancel.',
      'user text(hi)',
    ])
  })

  test('is that of the last turn, after turns with tools', async () => {
    const main = [{ text: 'first', toolCalls: [read] }, { toolCalls: [read, read] }, { text: 'end' }]
    const h = harness({ tools, script: { main } })
    expect(await h.run('go')).toMatchObject({ text: 'end', turns: 3, toolCalls: 3, note: null })
    expect(shownPrompt(h.scripted.requests[2]!.options.prompt).slice(2)).toEqual([
      'assistant text(first) call(read)',
      'tool result(read: read done)',
      'assistant call(read) call(read)',
      'tool result(read: read done) result(read: read done)',
    ])
  })

  test('is asked for when the last turn has no text, whatever the ones before said', async () => {
    const worked = [{ text: 'I look', toolCalls: [read] }, { toolCalls: [read] }, { text: ' \n' }]
    const asked = harness({ tools, script: { main: [...worked, { text: 'found it' }] } })
    expect(await asked.run('go')).toMatchObject({ status: 'completed', text: 'found it', note: null })
    const h = harness({ tools, script: { main: [...worked, {}] } })
    expect(await h.run('go')).toMatchObject({
      status: 'failed',
      error: { code: 'empty_answer' },
      text: 'I look',
      note: 'partial: the text of turn 1',
    })
    expect(h.scripted.requests).toHaveLength(4)
  })

  test('is asked for once, without tools, when no turn had text', async () => {
    const h = harness({ tools, script: { main: [{ toolCalls: [read] }, {}, { text: 'well then' }] } })
    expect(await h.run('go')).toMatchObject({ status: 'completed', text: 'well then', turns: 2 })
    const { prompt, toolChoice } = h.scripted.requests[2]!.options
    expect(toolChoice).toEqual({ type: 'none' })
    expect(shownPrompt(prompt).at(-1)).toBe(
      'user text(You ended without any text. Write your conclusion now.)',
    )
    expect(refusals(prompt)).toEqual([])
  })

  test('is a stated reason when there is no text even then', async () => {
    const h = harness({ script: { main: [{}, {}] } })
    expect(await h.run('go')).toMatchObject({
      status: 'failed',
      error: { code: 'empty_answer' },
      text: '',
      note: 'no text: the model ended without writing any',
    })
    expect(h.scripted.requests).toHaveLength(2)
  })

  test('is asked for after an answer of thoughts alone, in a context that providers accept', async () => {
    const seen: ModelRequest['messages'][] = []
    const thought = [
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
      { type: 'reasoning-end', id: 'r' },
    ]
    const model = rawModel((n, { messages }) => {
      seen.push(structuredClone(messages))
      return n === 0 ? [...thought, finish()] : [...said('so'), finish()]
    })
    expect((await harness({ model }).run('go')).text).toBe('so')
    expect(seen[1]!.map(({ role }) => role)).toEqual(['system', 'user', 'user'])
  })
})

describe('maxTurns', () => {
  const turn = { toolCalls: [read] }

  test('allows N turns with tools and one request without them', async () => {
    const h = harness({ tools, script: { main: [turn, turn, turn, { text: 'as far as I came' }] } })
    const result = await h.run('go', { maxTurns: 3 })
    expect(result).toMatchObject({
      status: 'paused',
      reason: 'limit',
      endReason: 'max_turns',
      turns: 3,
      toolCalls: 3,
      text: 'as far as I came',
    })
    const choices = h.scripted.requests.map(({ options }) => options.toolChoice?.type)
    expect(choices).toEqual(['auto', 'auto', 'auto', 'none'])
    expect(h.scripted.requests.flatMap(({ options }) => refusals(options.prompt))).toEqual([])
  })

  test('is told to the model once, when two turns are left', async () => {
    const h = harness({ tools, script: { main: [turn, turn, turn, turn, { text: 'as far as I came' }] } })
    await h.run('go', { maxTurns: 4 })
    const notice = 'user text(You have 2 of your 4 turns left. '
    const told = h.scripted.requests.map(
      ({ options }) => shownPrompt(options.prompt).filter((line) => line.startsWith(notice)).length,
    )
    expect(told).toEqual([0, 0, 1, 1, 1])
    expect(shownPrompt(h.scripted.requests[2]!.options.prompt).at(-1)).toMatch(/Conclude with what you have/)
    expect(h.scripted.requests.flatMap(({ options }) => refusals(options.prompt))).toEqual([])
  })

  test.each([1, 2])('of %i is known from the start and is not told again', async (maxTurns) => {
    const h = harness({ tools, script: { main: [turn, turn, { text: 'end' }] } })
    await h.run('go', { maxTurns })
    const said = h.scripted.requests.flatMap(({ options }) => shownPrompt(options.prompt))
    expect(said.filter((line) => line.includes('turns left'))).toEqual([])
  })

  test('does not count for an answer that ends in time', async () => {
    const h = harness({ tools, script: { main: [turn, { text: 'done' }] } })
    expect(await h.run('go', { maxTurns: 2 })).toMatchObject({ status: 'completed', turns: 2 })
  })

  test('keeps the latest text when the conclusion has none', async () => {
    const h = harness({ tools, script: { main: [{ text: 'early', ...turn }, turn, {}] } })
    expect(await h.run('go', { maxTurns: 2 })).toMatchObject({
      endReason: 'max_turns',
      text: 'early',
      note: 'partial: the text of turn 1',
    })
  })

  test('is never exceeded by a model that goes on calling', async () => {
    let requests = 0
    const model = rawModel(() => (requests++, [called('read'), finish('tool-calls')]))
    const result = await harness({ model, tools }).run('go', { maxTurns: 4 })
    expect(result).toMatchObject({
      status: 'paused',
      endReason: 'max_turns',
      turns: 4,
      toolCalls: 4,
      text: '',
    })
    expect(requests).toBe(5)
  })
})

describe('timeoutMs', () => {
  const agent = (timeoutMs: number) => ({ agent: { ...main, timeoutMs } })
  const main = { name: 'main', description: 'x', prompt: 'You are main.', source: 'test' }

  test('pauses with the text so far and makes no further request', async () => {
    const main = [{ text: 'partly', toolCalls: [{ tool: 'slow', input: {} }] }]
    const slow = tool('slow', {
      execute: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    })
    const h = harness({ tools: [slow], script: { main } })
    expect(await h.run('go', agent(5_000))).toMatchObject({
      status: 'paused',
      reason: 'limit',
      endReason: 'timeout',
      text: 'partly',
    })
    expect(h.scripted.requests).toHaveLength(1)
  })

  test('cuts an answer that is being written, and its text so far is the report', async () => {
    const model = rawModel(async () => streamOf(said('the first half'), 'open'))
    const h = harness({ model })
    expect(await h.run('go', agent(5_000))).toMatchObject({
      endReason: 'timeout',
      text: 'the first half',
      note: 'it reached its time limit; partial: the text of turn 1, cut off before its end',
    })
  })

  test('stands still while a person is asked', async () => {
    const script = { main: [{ toolCalls: [{ tool: 'write', input: {} }] }, { text: 'done' }] }
    const h = harness({ tools: [tool('write', { effects: 'write' })], script })
    h.runtime.approvals.attend()
    const { result, runId } = await h.start('go', agent(5_000))
    await h.clock.advance(60_000)
    expect(h.store.get('runs', runId)).toMatchObject({ status: 'waiting', reason: 'approval' })
    const { id } = h.store.find('approvals', {})[0]!
    await h.clock.until(h.runtime.approvals.answer(id, { answer: 'once', by: 'test' }))
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'done' })
  })
})

describe('a stop', () => {
  const stages = {
    'before the model answers': () => new Promise<never>(() => {}),
    'before the first piece': async () => streamOf([], 'open'),
    'in the middle of the answer': async () => streamOf(said('half'), 'open'),
    'while a tool runs': async () => streamOf([called('slow'), finish('tool-calls')]),
    'while a tool runs that ignores it': async () => streamOf([called('deaf'), finish('tool-calls')]),
    'while it waits for a provider': () => Promise.reject(busy),
    'while a person is asked': async () => streamOf([called('write'), finish('tool-calls')]),
  }
  const slow = tool('slow', {
    execute: (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  })
  const all = [
    slow,
    tool('deaf', { execute: () => new Promise(() => {}) }),
    tool('write', { effects: 'write' }),
  ]

  for (const [stage, answer] of Object.entries(stages)) {
    test.each([
      ['pause', { status: 'paused', reason: 'user', endReason: 'user' }],
      ['cancel', { status: 'cancelled', reason: null, endReason: 'user' }],
    ] as const)(`${stage}: %s`, async (verb, end) => {
      const h = harness({ model: rawModel(answer), tools: all })
      h.runtime.approvals.attend()
      const started = await h.start('go')
      await h.clock.advance(1_000)
      expect(['running', 'waiting']).toContain(h.store.get('runs', started.runId)!.status)
      started.stop(verb)
      expect(await h.clock.until(started.result)).toMatchObject(end)
      expect(h.store.find('messages', { where: { state: 'streaming' } })).toEqual([])
      const open = h.store.find('tool_calls', {}).filter(({ resultPartId }) => resultPartId === null)
      expect(open).toEqual([])
      expect(h.store.find('approvals', { where: { answer: null } })).toEqual([])
      h.flush()
      expect(h.clock.pending()).toBe(0)
    })
  }

  test('a cancel after a pause counts, a pause after a cancel does not', async () => {
    for (const verbs of [
      ['pause', 'cancel'],
      ['cancel', 'pause'],
    ] as const) {
      const h = harness({ model: rawModel(stages['while a tool runs that ignores it']), tools: all })
      const started = await h.start('go')
      await h.clock.settle()
      for (const verb of verbs) started.stop(verb)
      expect(await h.clock.until(started.result)).toMatchObject({ status: 'cancelled' })
    }
  })

  test('at once after the start ends it before anything is answered', async () => {
    const h = harness({ model: rawModel(() => new Promise<never>(() => {})) })
    const started = await h.start('go')
    started.stop('pause')
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'paused', reason: 'user', turns: 0 })
  })
})
