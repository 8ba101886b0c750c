import { describe, expect, test } from 'vitest'
import { cutStore, beginsAfterMs, type CutStore } from '../../test/support/cut-store.ts'
import {
  called,
  finish,
  handClock,
  harness,
  rawModel,
  said,
  tool,
  type Harness,
} from '../../test/support/runtime-harness.ts'
import { ProviderError } from '../core/errors.ts'
import { finishOfRun } from '../core/finish-reason.ts'
import { outputForModel } from '../core/report/report-envelope.ts'
import { textOf } from '../core/message.ts'
import type { ModelRequest } from '../model/port.ts'

const tools = [tool('read')]

/** The end of an answer, as the package of a provider hands it on. */
function ended(unified: string, raw = unified, providerMetadata: object = {}) {
  return { ...finish(), finishReason: { unified, raw }, providerMetadata }
}

const thought = [
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'hm' },
  { type: 'reasoning-end', id: 'r' },
]

function answers(...all: readonly (readonly unknown[])[]) {
  const requests: ModelRequest[] = []
  const model = rawModel((n, request) => {
    requests.push({ ...request, messages: [...request.messages] })
    return all[n] ?? [...said('nothing more'), finish()]
  })
  return { model, requests }
}

const last = ({ messages }: ModelRequest) => textOf(messages.at(-1)!.parts)

describe('an answer that promises calls and has none', () => {
  test.each([['tool-calls'], ['stop', 'pause_turn']])(
    'goes on once: %s %s',
    async (unified, raw = unified) => {
      const { model, requests } = answers(
        [...said('I look'), ended(unified, raw)],
        [...said('done'), finish()],
      )
      expect(await harness({ model, tools }).run('go')).toMatchObject({
        status: 'completed',
        finishReason: 'stop',
        text: 'done',
        turns: 2,
      })
      expect(last(requests[1]!)).toMatch(/^Your last answer ended as if more was to follow/)
    },
  )

  test('is taken as the last when it comes again', async () => {
    const { model, requests } = answers(
      [...said('I look'), ended('tool-calls')],
      [...said('it is 4'), ended('tool-calls')],
    )
    expect(await harness({ model, tools }).run('go')).toMatchObject({ status: 'completed', text: 'it is 4' })
    expect(requests).toHaveLength(2)
    const empty = answers([ended('tool-calls')], [ended('tool-calls')], [...said('so'), finish()])
    expect(await harness({ model: empty.model, tools }).run('go')).toMatchObject({ text: 'so' })
    expect(last(empty.requests[2]!)).toBe('You ended without any text. Write your conclusion now.')
  })
})

test('a request that the provider filters fails as an answer that it filters does', async () => {
  const error = new ProviderError('own/model: HTTP 400: no', {
    status: 400,
    retryable: false,
    isFiltered: true,
  })
  const model = rawModel(() => Promise.reject(error))
  expect(await harness({ model }).run('go')).toMatchObject({
    status: 'failed',
    finishReason: 'content_filter',
    error: { code: 'content_filter', message: 'own/model: HTTP 400: no' },
  })
})

describe('an answer that was cut is no conclusion', () => {
  test.each([
    [
      'length',
      'max_tokens',
      'max_output_tokens',
      'the answer was cut at the output limit (the provider said: max_tokens)',
    ],
    [
      'length',
      'model_context_window_exceeded',
      'context_window',
      'the answer was cut because the context window is full (the provider said: model_context_window_exceeded)',
    ],
  ])('%s (%s): paused (limit)', async (unified, raw, code, note) => {
    const { model, requests } = answers([...said('the first half'), ended(unified, raw)])
    const h = harness({ model })
    const result = await h.run('go')
    expect(result).toMatchObject({
      status: 'paused',
      reason: 'limit',
      endReason: code,
      finishReason: code,
      text: 'the first half',
      note: `${note}; partial: the text of turn 1`,
      error: null,
    })
    expect(requests).toHaveLength(1)
    h.flush()
    expect(h.told.find(({ type }) => type === 'run.paused')).toMatchObject({
      reason: 'limit',
      endReason: code,
      finishReason: code,
    })
    expect(h.told.findLast(({ type }) => type === 'message.completed')).toMatchObject({ finishReason: code })
  })

  test('also without any text, and of a run that had text before', async () => {
    const { model } = answers([...thought, ended('length')])
    expect(await harness({ model }).run('go')).toMatchObject({
      status: 'paused',
      endReason: 'max_output_tokens',
      text: '',
      note: expect.stringMatching(/^the answer was cut at the output limit.*; no text/),
    })
    const later = answers(
      [...said('I look'), called('read'), finish('tool-calls')],
      [...said('It is in'), ended('length')],
    )
    expect(await harness({ model: later.model, tools }).run('go')).toMatchObject({
      status: 'paused',
      endReason: 'max_output_tokens',
      text: 'I look\n\nIt is in',
    })
  })

  test('of a conclusion that was asked for', async () => {
    const empty = answers([finish()], [...said('all in'), ended('length')])
    expect(await harness({ model: empty.model }).run('go')).toMatchObject({
      status: 'paused',
      endReason: 'max_output_tokens',
      text: 'all in',
    })
    const atLimit = answers([called('read'), finish('tool-calls')], [...said('all in'), ended('length')])
    expect(await harness({ model: atLimit.model, tools }).run('go', { maxTurns: 1 })).toMatchObject({
      status: 'paused',
      endReason: 'max_turns',
      finishReason: 'max_output_tokens',
      note: expect.stringContaining('the answer was cut at the output limit'),
    })
  })

  test('its calls are not run, and it goes on', async () => {
    const { model, requests } = answers(
      [...said('I look'), called('read'), ended('length')],
      [...said('done'), finish()],
    )
    const result = await harness({ model, tools }).run('go')
    expect(result).toMatchObject({ status: 'completed', finishReason: 'stop', text: 'done', toolCalls: 0 })
    expect(JSON.stringify(requests[1]!.messages)).toContain('not run: the answer reached its output limit')
  })

  test('continue goes on where it was cut', async () => {
    const { model, requests } = answers(
      [...said('The first half of'), ended('length')],
      [...said(' the answer.'), finish()],
    )
    const h = harness({ model })
    const { branchId, runId } = await h.run('go')
    const { started } = await h.continue(branchId)
    expect(await h.clock.until(started!.result)).toMatchObject({
      runId,
      status: 'completed',
      endReason: 'done',
      finishReason: 'stop',
      text: 'The first half of the answer.',
      note: '2 answers joined: the answer of turn 1 was cut after character 17',
    })
    const { messages } = requests[1]!
    expect(messages.slice(-2).map(({ role, parts }) => [role, textOf(parts)])).toEqual([
      ['assistant', 'The first half of'],
      [
        'user',
        'Your last answer was cut at the output limit. Go on exactly where it stopped; repeat nothing of it.',
      ],
    ])
    expect(h.store.get('runs', runId)).toMatchObject({ turns: 2, finishReason: 'stop' })
  })

  test('an answer that was cut twice is one report, as it is told and as it is stored', async () => {
    const { model } = answers(
      [...said('I look.'), called('read'), finish('tool-calls')],
      [...said('{"a": "one'), ended('length')],
      [...said(' two'), ended('length')],
      [...said(' three"}'), finish()],
    )
    const h = harness({ model, tools })
    const { branchId, runId } = await h.run('go')
    const { started: second } = await h.continue(branchId)
    expect(await h.clock.until(second!.result)).toMatchObject({
      status: 'paused',
      endReason: 'max_output_tokens',
      text: 'I look.\n\n{"a": "one two',
    })
    const { started: third } = await h.continue(branchId)
    expect(await h.clock.until(third!.result)).toMatchObject({
      status: 'completed',
      text: '{"a": "one two three"}',
      note: '3 answers joined: the answer of turn 2 was cut after character 10, the answer of turn 3 after character 14',
    })
    h.flush()
    const completed = h.told.findLast((event) => event.type === 'run.completed')
    expect(completed).toMatchObject({ runId, report: '{"a": "one two three"}' })
  })

  test('a cut answer is not completed by empty ones', async () => {
    const { model, requests } = answers(
      [...said('The first half of'), ended('length')],
      [finish()],
      [finish()],
    )
    const h = harness({ model })
    const { branchId } = await h.run('go')
    const { started } = await h.continue(branchId)
    expect(await h.clock.until(started!.result)).toMatchObject({
      status: 'failed',
      error: { code: 'empty_answer' },
      text: 'The first half of',
      note: 'partial: the text of turn 1',
    })
    expect(requests).toHaveLength(3)
    expect(last(requests[2]!)).toBe('You ended without any text. Write your conclusion now.')
  })

  test('so does one that was cut because the window was full, and in the middle of a word', async () => {
    const { model, requests } = answers(
      [...said('an unfin'), ended('length', 'model_context_window_exceeded')],
      [...said('ished answ'), ended('length', 'model_length')],
      [...said('er'), finish()],
    )
    const h = harness({ model })
    const { branchId } = await h.run('go')
    const { started: second } = await h.continue(branchId)
    expect(await h.clock.until(second!.result)).toMatchObject({
      endReason: 'context_window',
      text: 'an unfinished answ',
    })
    const { started: third } = await h.continue(branchId)
    expect(await h.clock.until(third!.result)).toMatchObject({
      status: 'completed',
      text: 'an unfinished answer',
      note: '3 answers joined: the answer of turn 1 was cut after character 8, the answer of turn 2 after character 18',
    })
    expect(last(requests[1]!)).toBe(
      'Your last answer was cut before its end. Go on exactly where it stopped; repeat nothing of it.',
    )
  })

  test('and a conclusion that was cut at the turn limit', async () => {
    const { model } = answers(
      [called('read'), finish('tool-calls')],
      [...said('all i'), ended('length')],
      [...said('n'), finish()],
    )
    const h = harness({ model, tools })
    const { branchId } = await h.run('go', { maxTurns: 1 })
    const { started } = await h.continue(branchId)
    expect(await h.clock.until(started!.result)).toMatchObject({
      status: 'completed',
      text: 'all in',
      note: '2 answers joined: the answer of turn 1 was cut after character 5',
    })
  })

  test('what a person says before it goes on is answered, not joined', async () => {
    const { model } = answers([...said('half'), ended('length')], [...said('deux moitiés'), finish()])
    const h = harness({ model })
    const { branchId, conversationId } = await h.run('go')
    const { started } = await h.continue(branchId)
    await h.perform(conversationId, { verb: 'steer', target: branchId, args: { text: 'in French' } })
    expect(await h.clock.until(started!.result)).toMatchObject({ text: 'deux moitiés', note: null })
    const again = answers([...said('half'), ended('length')], [...said('deux moitiés'), finish()])
    const other = harness({ model: again.model })
    const first = await other.run('go')
    const { started: stopped } = await other.continue(first.branchId)
    stopped!.stop('pause')
    await other.clock.until(stopped!.result)
    const { started: last } = await other.continue(first.branchId, { text: 'in French' })
    expect(await other.clock.until(last!.result)).toMatchObject({ text: 'deux moitiés', note: null })
  })

  test('an answer to another text is a report of its own', async () => {
    const { model } = answers([...said('half'), ended('length')], [...said('rest'), finish()])
    const h = harness({ model })
    const { branchId } = await h.run('go')
    const { started } = await h.continue(branchId, { text: 'in one word' })
    expect(await h.clock.until(started!.result)).toMatchObject({ text: 'rest', note: null })
  })

  test('continue with a text says that text', async () => {
    const { model, requests } = answers([...said('half'), ended('length')], [...said('rest'), finish()])
    const h = harness({ model })
    const { branchId } = await h.run('go')
    const { started } = await h.continue(branchId, { text: 'in one word' })
    await h.clock.until(started!.result)
    expect(last(requests[1]!)).toBe('in one word')
  })

  test('also when the process exits after any of its writes', async () => {
    const store = cutStore()
    const life = (over: CutStore) => {
      const { model } = answers([...said('half'), ended('length', 'max_tokens')])
      return harness({ model, store: over, clock: handClock(beginsAfterMs(over)) })
    }
    await life(store).run('go')
    for (let commits = 1; commits <= store.commits; commits++) {
      const left = await store.cut(commits)
      const h = life(left)
      await h.recover()
      expect(left.find('runs', {})).toMatchObject([
        { status: 'paused', endReason: 'max_output_tokens', finishReason: 'max_output_tokens', turns: 1 },
      ])
    }
  })

  test('a parent reads it', async () => {
    const task = JSON.stringify({ prompt: 'look', subagent_type: 'explore' })
    const model = rawModel((_, { depth, messages }) => {
      if (depth > 0) return [...said('half a report'), ended('length')]
      const isTold = messages.some(({ role }) => role === 'tool')
      return isTold ? [...said('I see'), finish()] : [called('task', task), finish('tool-calls')]
    })
    const h = harness({ model })
    const result = await h.run('go')
    expect(result.subagents).toMatchObject([
      { status: 'paused', endReason: 'max_output_tokens', finishReason: 'max_output_tokens' },
    ])
    const told = h.store.find('parts', {}).map(({ part }) => part)
    const output = outputForModel(told.find((part) => part.type === 'tool-result')!.output)
    expect(output).toContain('status="paused (limit)" end_reason="max_output_tokens"')
    expect(output).toContain('the answer was cut at the output limit')
  })
})

describe('what a provider ends for its own reasons is a failure', () => {
  test.each([
    [
      ended('content-filter', 'SAFETY', { google: { finishMessage: 'Blocked.' } }),
      'content_filter',
      'own/model: the provider filtered the answer (the provider said: SAFETY: Blocked.)',
    ],
    [
      ended('content-filter', 'refusal', { anthropic: { stopDetails: { explanation: 'It may do harm.' } } }),
      'refusal',
      'own/model: the model refused to answer (the provider said: refusal: It may do harm.)',
    ],
    [
      ended('content-filter', 'stop'),
      'refusal',
      'own/model: the model refused to answer (the provider said: I cannot.)',
    ],
  ])('%#: %s', async (end, code, message) => {
    const { model, requests } = answers([...said('I cannot.'), called('read'), end])
    const h = harness({ model, tools })
    expect(await h.run('go')).toMatchObject({
      status: 'failed',
      reason: null,
      endReason: 'error',
      finishReason: code,
      error: { code, message },
      text: 'I cannot.',
    })
    expect(requests).toHaveLength(1)
    expect(h.store.find('tool_calls', {}).map(({ status }) => status)).toEqual(['skipped'])
  })

  test('also of a conclusion', async () => {
    const { model } = answers([called('read'), finish('tool-calls')], [ended('content-filter', 'SAFETY')])
    expect(await harness({ model, tools }).run('go', { maxTurns: 1 })).toMatchObject({
      status: 'failed',
      error: { code: 'content_filter' },
    })
  })

  test('and so is no text, after a conclusion was asked for', async () => {
    const { model, requests } = answers([finish()], [ended('stop', 'end_turn')])
    expect(await harness({ model }).run('go')).toMatchObject({
      status: 'failed',
      finishReason: 'stop',
      error: {
        code: 'empty_answer',
        message:
          'own/model: the answer was empty, and so was the requested conclusion (the provider said: end_turn)',
      },
      note: 'no text: the model ended without writing any',
    })
    expect(requests).toHaveLength(2)
  })

  test('also when the process exits after any of its writes', async () => {
    const ends = [
      [[[...said('I cannot.'), called('read'), ended('content-filter', 'refusal')]], 'refusal'],
      [
        [
          [...thought, finish()],
          [...thought, finish()],
        ],
        'empty_answer',
      ],
    ] as const
    for (const [script, code] of ends) {
      const store = cutStore()
      const life = (over: CutStore): Harness => {
        const model = rawModel(
          (_, { messages }) =>
            script[messages.filter(({ parts }) => textOf(parts).startsWith('You ended without')).length]!,
        )
        return harness({ model, tools, store: over, clock: handClock(beginsAfterMs(over)) })
      }
      await life(store).run('go')
      for (let commits = 1; commits <= store.commits; commits++) {
        const left = await store.cut(commits)
        await life(left).recover()
        expect(left.find('runs', {})).toMatchObject([{ status: 'failed', error: { code } }])
      }
    }
  })

  test('a run that goes on, or that something else stopped, has no finish reason', async () => {
    const main = [{ toolCalls: [{ tool: 'read', input: {} }] }, { delayMs: 60_000, text: 'late' }]
    const h = harness({ script: { main }, tools })
    const started = await h.start('go')
    await h.clock.advance(1_000)
    const shown = () => finishOfRun(h.store.find('runs', {})[0]!)
    expect(shown()).toBeNull()
    started.stop('pause')
    expect(await h.clock.until(started.result)).toMatchObject({ endReason: 'user', finishReason: null })
    expect(shown()).toBeNull()
  })
})

describe('a request that the provider refuses as too long', () => {
  const tooLong = new ProviderError('own/model: HTTP 400: prompt is too long', {
    status: 400,
    retryable: false,
    isTooLong: true,
  })
  const found = 'found something '.repeat(250)
  const isSummary = ({ messages }: ModelRequest) => textOf(messages[0]!.parts).startsWith('You summarise')

  /** Takes so many characters; turns with a tool until `turns` are done. */
  function bounded(most: number, turns: number, window: number | null = null) {
    const sizes: number[] = []
    let done = 0
    let refused = 0
    const model = rawModel(
      (_, request) => {
        if (isSummary(request)) return [...said('SUMMARY'), finish()]
        const size = JSON.stringify(request.messages).length
        sizes.push(size)
        if (size > most) {
          refused++
          return Promise.reject(tooLong)
        }
        return done++ < turns
          ? [called('look', `{"at":${done}}`), { ...finish('tool-calls') }]
          : [...said('there are 4'), finish()]
      },
      { window },
    )
    const look = tool('look', { execute: ({ at }) => `${String(at)}: ${found}` })
    return { h: harness({ model, tools: [look] }), sizes, refused: () => refused }
  }

  test.each([null, 1_000_000])('is sent once more, compacted (window %s)', async (window) => {
    const { h, sizes, refused } = bounded(40_000, 12, window)
    const result = await h.run('go')
    expect(result).toMatchObject({ status: 'completed', text: 'there are 4', turns: 13, toolCalls: 12 })
    expect(refused()).toBe(1)
    expect(sizes.filter((size) => size > 40_000)).toHaveLength(1)
    h.flush()
    expect(h.told.filter(({ type }) => type === 'context.compacted')).toHaveLength(1)
    expect(h.told.filter(({ type }) => type === 'run.waiting')).toEqual([])
  })

  test('then it is `window`, with what the provider said', async () => {
    const { h, refused } = bounded(100, 3)
    expect(await h.run('go')).toMatchObject({
      status: 'failed',
      endReason: 'error',
      finishReason: null,
      error: {
        code: 'window',
        message: 'the context does not fit the context window: own/model: HTTP 400: prompt is too long',
        hint: expect.stringContaining('larger context window'),
      },
    })
    expect(refused()).toBe(1) // there was nothing to make shorter
    let asked = 0
    const model = rawModel((_, request) => {
      if (isSummary(request)) return [...said('SUMMARY'), finish()]
      return ++asked > 8 ? Promise.reject(tooLong) : [called('look', `{"at":${asked}}`), finish('tool-calls')]
    })
    const look = tool('look', { execute: ({ at }) => `${String(at)}: ${found}` })
    expect(await harness({ model, tools: [look] }).run('go')).toMatchObject({
      status: 'failed',
      error: { code: 'window' },
      turns: 8,
    })
    expect(asked).toBe(10)
  })
})
