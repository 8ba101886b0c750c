import { describe, expect, test } from 'vitest'
import { base, payloads } from '../../core/fixtures/events.ts'
import type { EventType, OffshootEvent } from '../../core/events.ts'
import { createIds } from '../../core/ids.ts'
import type { Message, Part } from '../../core/message.ts'
import { noReceipts } from '../../core/receipt.ts'
import { noUsage } from '../../core/usage.ts'
import type { RunResult } from '../../runtime/views/run-result.ts'
import { sdkMessage } from './fixtures/sdk-messages.ts'
import { createStreamJson } from './stream-json.ts'

const newId = createIds(
  () => 1,
  () => new Uint8Array(10),
)
const main = { ...base, branchId: newId('brn'), runId: newId('run') }
const child = { ...base, branchId: newId('brn'), runId: newId('run'), parentRunId: main.runId, depth: 1 }
const callId = newId('cal')

/** A stream in which `messages` are stored, and what it says of events. */
function stream(stored: Record<string, Pick<Message, 'usage' | 'runId'>> = {}) {
  let uuids = 0
  const made = createStreamJson({
    conversationId: base.conversationId,
    directory: '/w',
    model: 'test/main',
    tools: ['read'],
    agents: ['explore'],
    mode: 'ask',
    version: '1.0.0',
    newUuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
    message: (id) => stored[id],
  })
  return { ...made, takeAll: (events: readonly OffshootEvent[]) => events.flatMap(made.push) }
}

function event(type: EventType, place: typeof main | typeof child, more: object = {}): OffshootEvent {
  return { type, ...payloads[type], ...place, ...more } as unknown as OffshootEvent
}

function message(
  role: Message['role'],
  place: typeof main | typeof child,
  parts: readonly object[],
  state = 'complete',
) {
  const messageId = newId('msg')
  const whole = parts.map((part) =>
    event('part.completed', place, { messageId, part: { id: newId('prt'), ...part } as Part }),
  )
  return { messageId, events: [...whole, event('message.completed', place, { messageId, role, state })] }
}

const spawned = (more: object = {}) => [
  event('branch.created', child, { parentBranchId: main.branchId, originToolCallId: callId, ...more }),
  event('run.started', child, { from: null, callId: null, model: 'test/small' }),
]

const text = { type: 'text', text: 'hello' }

describe('answers', () => {
  test('thinking, text and calls are blocks of one message of the model of its run', () => {
    const { events } = message('assistant', child, [
      { type: 'reasoning', text: 'hm' },
      text,
      { type: 'tool-call', callId, tool: 'read', input: { file_path: 'a' } },
    ])
    const lines = stream().takeAll([...spawned(), ...events])
    expect(sdkMessage.parse(lines.at(-1))).toMatchObject({
      parent_tool_use_id: callId,
      subagent_type: 'explore',
      message: {
        model: 'test/small',
        stop_reason: 'tool_use',
        content: [
          { type: 'thinking', thinking: 'hm', signature: '' },
          { type: 'text', text: 'hello' },
          { type: 'tool_use', id: callId, name: 'read', input: { file_path: 'a' } },
        ],
      },
    })
  })

  test('one that was cut says so and has no calls; one that said nothing is left out', () => {
    const call = { type: 'tool-call', callId, tool: 'read', input: {} }
    const cut = message('assistant', main, [text, call], 'interrupted')
    const empty = message('assistant', main, [call], 'interrupted')
    const lines = stream().takeAll([...cut.events, ...empty.events])
    expect(lines.map((line) => sdkMessage.parse(line))).toMatchObject([
      { type: 'assistant', aborted: true, message: { stop_reason: null, content: [{ type: 'text' }] } },
    ])
  })

  test('usage is what is stored of it, and zero where nothing is', () => {
    const known = message('assistant', main, [text])
    const usage = { input: 10, output: 2, cacheRead: 4, cacheWrite: 1, reasoning: 0 }
    const lines = stream({ [known.messageId]: { usage, runId: main.runId } }).takeAll([
      ...known.events,
      ...message('assistant', main, [text]).events,
    ])
    const figures = lines
      .map((line) => sdkMessage.parse(line))
      .map((line) => line.type === 'assistant' && line.message.usage)
    expect(figures).toMatchObject([
      { input_tokens: 5, cache_read_input_tokens: 4, cache_creation_input_tokens: 1, output_tokens: 2 },
      { input_tokens: 0, output_tokens: 0 },
    ])
  })
})

describe('user messages', () => {
  test('a person is not repeated to itself; what the runtime says is marked; a system text is not told', () => {
    const person = message('user', main, [text])
    const runtime = message('user', main, [{ type: 'text', text: 'conclude' }])
    const system = message('system', main, [text])
    const lines = stream({
      [person.messageId]: { usage: null, runId: null },
      [runtime.messageId]: { usage: null, runId: main.runId },
    }).takeAll([...person.events, ...runtime.events, ...system.events])
    expect(lines.map((line) => sdkMessage.parse(line))).toMatchObject([
      { type: 'user', isSynthetic: true, message: { content: [{ text: 'conclude' }] } },
    ])
  })

  test('what a person tells a subagent stands under its call', () => {
    const steer = message('user', child, [text])
    const lines = stream({ [steer.messageId]: { usage: null, runId: null } }).takeAll([
      ...spawned(),
      ...steer.events,
    ])
    expect(sdkMessage.parse(lines.at(-1))).toMatchObject({ type: 'user', parent_tool_use_id: callId })
  })

  test('files are images, documents, or named', () => {
    const file = (mediaType: string) => ({ type: 'file', file: { mediaType, data: 'QQ==', filename: 'f' } })
    const { events } = message('user', child, ['image/png', 'application/pdf', 'audio/wav'].map(file))
    const line = sdkMessage.parse(stream().takeAll(events)[0])
    expect(line.type === 'user' && line.message.content).toMatchObject([
      { type: 'image', source: { media_type: 'image/png' } },
      { type: 'document' },
      { type: 'text', text: '[file f, audio/wav]' },
    ])
  })
})

describe('tool results', () => {
  const result = (status: string, output: object = { text: 'out' }) =>
    event('part.completed', main, {
      kind: 'tool-result',
      part: { id: newId('prt'), type: 'tool-result', callId, tool: 'read', status, output },
    })

  test.each([
    ['completed', false],
    ['failed', true],
    ['denied', true],
    ['skipped', true],
    ['unknown', true],
  ])('%s is told at once, as an error: %s', (status, is_error) => {
    const line = sdkMessage.parse(stream().push(result(status))[0])
    expect(line.type === 'user' && line.message.content).toEqual([
      { type: 'tool_result', tool_use_id: callId, content: 'out', is_error },
    ])
  })

  test('files stand behind the text', () => {
    const files = [{ mediaType: 'image/png', data: 'QQ==' }]
    const line = sdkMessage.parse(stream().push(result('completed', { text: 'out', files }))[0])
    expect(line.type === 'user' && line.message.content).toMatchObject([
      { content: [{ type: 'text', text: 'out' }, { type: 'image' }] },
    ])
  })
})

describe('whose it is', () => {
  const answer = () => message('assistant', child, [text]).events
  const parentOf = (events: readonly OffshootEvent[]) =>
    stream().takeAll(events).at(-1)!['parent_tool_use_id']

  test('the call that a run answers comes before the one that made its branch', () => {
    const later = newId('cal')
    const again = event('run.started', child, { from: null, callId: later })
    expect(parentOf([...spawned(), again, ...answer()])).toBe(later)
    expect(parentOf([...spawned(), ...answer()])).toBe(callId)
  })

  test('a subagent of a person, and one of whom nothing was told, stand under their branch', () => {
    expect(parentOf([...spawned({ originToolCallId: null }), ...answer()])).toBe(child.branchId)
    expect(parentOf(answer())).toBe(child.branchId)
  })

  test('a fork of a subagent stands under its call', () => {
    const fork = { ...child, branchId: newId('brn'), runId: newId('run') }
    const made = { kind: 'fork', parentBranchId: child.branchId, originToolCallId: null }
    const { events } = message('assistant', fork, [text])
    expect(parentOf([...spawned(), event('branch.created', fork, made), ...events])).toBe(callId)
  })
})

describe('tasks', () => {
  const subtypes = (events: readonly OffshootEvent[]) =>
    stream()
      .takeAll(events)
      .map((line) => sdkMessage.parse(line))
      .map((line) => ('subtype' in line ? line.subtype : line.type))

  test('a task that waited for a slot begins once', () => {
    const queued = event('run.queued', child, { from: null })
    const resumed = [event('run.waiting', child), event('run.resumed', child)]
    expect(subtypes([queued, ...spawned(), ...resumed])).toEqual(['task_started'])
  })

  test('one that is continued begins again, and one that is cancelled while it is paused has ended already', () => {
    const paused = event('run.paused', child)
    const goesOn = event('run.queued', child, { from: 'paused' })
    expect(subtypes([...spawned(), paused, event('run.cancelled', child)])).toEqual([
      'task_started',
      'task_notification',
    ])
    expect(subtypes([...spawned(), paused, goesOn, event('run.completed', child)])).toEqual([
      'task_started',
      'task_notification',
      'task_started',
      'task_notification',
    ])
  })

  test.each([
    ['run.completed', 'completed', { report: '# Found it. More.' }, 'Found it.'],
    ['run.completed', 'completed', { report: null }, 'completed'],
    ['run.failed', 'failed', { error: { code: 'provider', message: 'no model' } }, 'failed: no model'],
    ['run.paused', 'stopped', { reason: 'limit', report: 'so far' }, 'paused (limit): so far'],
    ['run.cancelled', 'stopped', { report: null }, 'cancelled'],
  ] as const)('%s is %s', (type, status, more, summary) => {
    const at = base.at + 1500
    const lines = stream().takeAll([...spawned(), event(type, { ...child, at }, more)])
    expect(sdkMessage.parse(lines.at(-1))).toMatchObject({
      status,
      summary,
      usage: { total_tokens: 12, tool_uses: 2, duration_ms: 1500 },
    })
  })

  test('the main run is no task, and live events say nothing', () => {
    const live = (['run.progress', 'part.delta', 'part.started', 'tool.output'] as const).map((type) =>
      event(type, child, { sub: 1 }),
    )
    expect(
      subtypes([event('run.started', main), event('tool.started', main), event('run.completed', main)]),
    ).toEqual([])
    expect(subtypes(live)).toEqual([])
  })
})

describe('the result', () => {
  const result: RunResult = {
    conversationId: base.conversationId,
    branchId: main.branchId,
    runId: main.runId,
    status: 'completed',
    reason: null,
    endReason: 'done',
    finishReason: 'stop',
    text: 'the answer',
    note: null,
    error: null,
    turns: 3,
    toolCalls: 4,
    usage: { input: 100, output: 50, cacheRead: 20, cacheWrite: 10, reasoning: 5 },
    costUsd: 1.5,
    receipts: noReceipts,
    subagents: [],
    pausedSubagents: [],
    denials: [],
    durationMs: 1234,
  }
  const below = (model: string, usage: object, costUsd: number | null) =>
    ({ model, usage: { ...noUsage, ...usage }, costUsd }) as RunResult['subagents'][number]
  const end = (more: Partial<RunResult> = {}) => {
    const line = sdkMessage.parse(stream().end({ ...result, ...more }))
    if (line.type !== 'result') throw new Error(line.type)
    return line
  }

  test('every model has its share, and the shares are the whole', () => {
    const line = end({
      subagents: [
        below('anthropic/claude-haiku-4-5', { input: 30, output: 5 }, 0.25),
        below('anthropic/claude-haiku-4-5', { input: 10, output: 5 }, 0.25),
        below('test/main', { input: 10, output: 10, cacheRead: 5 }, 0.5),
      ],
    })
    expect(line.modelUsage).toMatchObject({
      'test/main': {
        inputTokens: 30,
        outputTokens: 40,
        cacheReadInputTokens: 20,
        cacheCreationInputTokens: 10,
        costUSD: 1,
        contextWindow: 0,
      },
      'anthropic/claude-haiku-4-5': {
        inputTokens: 40,
        outputTokens: 10,
        costUSD: 0.5,
        contextWindow: 200_000,
      },
    })
    expect(line.total_cost_usd).toBe(1.5)
    expect(line.usage).toMatchObject({ input_tokens: 70, output_tokens: 50 })
  })

  test('a price that is not known is marked, and what is known is summed', () => {
    const line = end({ costUsd: null, subagents: [below('a/known', {}, 0.5), below('b/unknown', {}, null)] })
    expect(line.total_cost_usd).toBe(0.5)
    expect(line.modelUsage).toMatchObject({
      'test/main': { costUSD: 0, costBasis: 'unknown' },
      'a/known': { costUSD: 0.5 },
      'b/unknown': { costUSD: 0, costBasis: 'unknown' },
    })
    expect(line.modelUsage['a/known']).not.toHaveProperty('costBasis')
  })

  test.each([
    ['paused', 'limit', 'max_turns', 'error_max_turns', 'paused (limit, max_turns)'],
    ['paused', 'limit', 'timeout', 'error_during_execution', 'paused (limit, timeout)'],
    ['paused', 'limit', 'max_output_tokens', 'error_during_execution', 'paused (limit, max_output_tokens)'],
    ['paused', 'budget', 'budget', 'error_max_budget_usd', 'paused (budget)'],
    ['paused', 'user', 'user', 'error_during_execution', 'paused (user)'],
    ['cancelled', null, 'user', 'error_during_execution', 'cancelled (user)'],
  ] as const)('%s (%s, %s) is %s', (status, reason, endReason, subtype, error) => {
    const line = end({ status, reason, endReason, note: 'no text yet' })
    expect(line).toMatchObject({ subtype, is_error: true, errors: [error, 'no text yet'] })
  })

  test('a failure has its message and its hint', () => {
    const error = { code: 'key', message: 'no key', hint: 'set one' }
    expect(end({ status: 'failed', error })).toMatchObject({ errors: ['no key (set one)'] })
  })

  test('the time of the models is that between asking and answer, waits for retries left out', () => {
    const at = (ms: number) => ({ ...main, at: base.at + ms })
    const { takeAll, end } = stream()
    takeAll([
      event('run.started', at(0)),
      event('message.completed', at(100), { role: 'assistant' }),
      event('turn.completed', at(500)),
      event('message.completed', at(550), { role: 'assistant', state: 'interrupted' }),
      event('run.resumed', at(900)),
      event('message.completed', at(907), { role: 'assistant' }),
    ])
    expect(end(result)).toMatchObject({ duration_ms: 1234, duration_api_ms: 157 })
  })
})
