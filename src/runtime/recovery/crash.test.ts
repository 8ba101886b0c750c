import { describe, expect, test } from 'vitest'
import { sleep } from '../../core/clock.ts'
import type { CallId } from '../../core/ids.ts'
import { conversationProblems, expectEvents } from '../../../test/support/conversation-problems.ts'
import { beginsAfterMs, cutStore, type CutStore } from '../../../test/support/cut-store.ts'
import {
  agent,
  finish,
  handClock,
  harness,
  rawModel,
  said,
  streamOf,
  tool,
  type Harness,
} from '../../../test/support/runtime-harness.ts'
import { foreground, spawn } from '../../../test/support/stage.ts'
import { textOf } from '../../core/message.ts'
import type { ModelRequest } from '../../model/port.ts'

interface Turn {
  readonly text?: string
  readonly calls?: readonly (readonly [tool: string, input: object])[]
  readonly delayMs?: number
}

type Parts = Readonly<Record<string, readonly Turn[]>>

const say = (text: string, delayMs = 0): Turn => ({ text, delayMs })
const calls = (...calls: NonNullable<Turn['calls']>): Turn => ({ calls })

/** Two in the foreground, one in the background, a tool with an effect and one without, and one more turn after that. */
const fanOut: Parts = {
  main: [
    calls(foreground('a'), ['note', {}], foreground('b'), spawn('late'), ['look', {}]),
    { text: 'half way', calls: [['note', {}]] },
    say('all is done'),
    say('that was the late one'),
  ],
  a: [
    {
      text: 'looking',
      calls: [
        ['look', {}],
        ['note', {}],
      ],
    },
    say('report of a', 10),
  ],
  b: [calls(['note', {}]), say('report of b', 30)],
  late: [calls(['look', {}]), say('report of late', 400)],
}

/** Three levels through one slot. */
const nested: Parts = {
  main: [calls(foreground('general', { prompt: 'do more' })), say('main is done')],
  general: [calls(foreground('a'), spawn('b'), ['note', {}]), say('general is done')],
  a: [calls(['note', {}]), say('report of a', 10)],
  b: [say('report of b', 20)],
}

type Call = NonNullable<Turn['calls']>[number]
const held = (...inner: Call[]): Call => [
  'use_tool',
  { calls: inner.map(([tool, params]) => ({ tool, params })) },
]

/** The same calls, in calls of `use_tool`. */
const throughUseTool: Parts = {
  ...fanOut,
  main: [
    calls(held(foreground('a'), ['note', {}], foreground('b')), spawn('late'), held(['look', {}])),
    { text: 'half way', calls: [held(['note', {}], ['no such tool', {}])] },
    say('all is done'),
    say('that was the late one'),
  ],
  a: [{ text: 'looking', calls: [held(['look', {}], ['note', {}])] }, say('report of a', 10)],
}

const stories = [
  ['a fan-out', fanOut, {}],
  ['a fan-out through use_tool', throughUseTool, { discovery: 'on' }],
  ['three levels through one slot', nested, { limits: { maxDepth: 2, maxConcurrent: 1 } }],
] as const

interface Life extends Harness {
  readonly store: CutStore
  readonly ran: CallId[]
  readonly requests: ModelRequest[]
}

/** A process with its own clock, models and memory. An agent's n-th answer is its n-th part, whoever asks for it. */
function life(parts: Parts, config: object, store: CutStore): Life {
  const clock = handClock(beginsAfterMs(store))
  const ran: CallId[] = []
  const requests: ModelRequest[] = []
  const model = rawModel(async (_, request) => {
    requests.push({ ...request, messages: [...request.messages] })
    const turn = request.messages.filter(({ role }) => role === 'assistant').length
    const { text, calls = [], delayMs } = parts[request.agent]?.[turn] ?? say('nothing more to do')
    if (delayMs) await sleep(clock, delayMs, request.signal)
    const asked = calls.map(([toolName, input], at) => {
      return { type: 'tool-call', toolCallId: `c${at}`, toolName, input: JSON.stringify(input) }
    })
    return streamOf([...(text ? said(text) : []), ...asked, finish(asked.length > 0 ? 'tool-calls' : 'stop')])
  })
  const note = tool('note', {
    effects: 'write',
    idempotent: false,
    execute: async (_, { run }) => {
      ran.push(run.callId)
      await sleep(clock, 5)
      return 'noted'
    },
  })
  const agents = [...new Set(['main', 'general', ...Object.keys(parts)])].map((name) => agent(name))
  const layers = [{ name: 'all', rules: [{ tool: '*', action: 'allow' as const }] }]
  const h = harness({ clock, model, tools: [tool('look'), note], agents, store, config, layers })
  return { ...h, store, ran, requests }
}

/** What must hold once everything has been taken up and has ended. */
function expectOrder(h: Life, before: CutStore | undefined): void {
  h.flush()
  const conversation = h.store.find('conversations', {})[0]
  if (!conversation) return
  const events = expectEvents(h.store, conversation.id, h.told)
  expect(conversationProblems(h.store, conversation.id)).toEqual([])
  const runs = h.store.find('runs', {})
  expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'completed'))
  for (const { id, parentRunId, stopNo } of runs.filter((run) => run.parentRunId)) {
    const delivered = events.filter((event) => event.type === 'report.delivered' && event.fromRunId === id)
    expect(delivered.length, `${id} of ${parentRunId} stopped ${stopNo} times`).toBe(1)
  }
  for (const id of h.ran) expect(before?.get('tool_calls', id)?.status ?? 'new').toBe('new')
  expect(new Set(h.ran).size).toBe(h.ran.length)
  for (const { messages, agent } of h.requests) {
    const texts = messages.map(({ parts }) => parts.map(shown).join('\n')).join('\n')
    for (const name of ['a', 'b', 'late', 'general is done'])
      expect(texts.split(`>\nreport of ${name}\n`).length, `${agent} reads ${name}`).toBeLessThan(3)
    expect(openCalls(messages), agent).toEqual([])
  }
}

function shown(part: ModelRequest['messages'][number]['parts'][number]): string {
  return part.type === 'tool-result' ? part.output.text : textOf([part])
}

/** Calls whose result does not stand right behind them. */
function openCalls(messages: ModelRequest['messages']): string[] {
  return messages.flatMap(({ parts }, at) => {
    const results = messages[at + 1]?.parts.flatMap((part) =>
      part.type === 'tool-result' ? part.callId : [],
    )
    return parts.flatMap((part) =>
      part.type === 'tool-call' && !results?.includes(part.callId) ? [part.tool] : [],
    )
  })
}

describe.each(stories)('%s', (_, parts, config) => {
  test('that dies after any commit is taken up and ends, and each report arrives once', async () => {
    const first = life(parts, config, cutStore())
    await first.run('go')
    expectOrder(first, undefined)
    for (let commits = 1; commits < first.store.commits; commits++) {
      const before = await first.store.cut(commits)
      const second = life(parts, config, await before.cut(commits))
      await second.recover()
      expectOrder(second, before)
    }
  })

  test('and so is a recovery that dies', async () => {
    const first = life(parts, config, cutStore())
    await first.run('go')
    for (let commits = 3; commits < first.store.commits; commits += 5) {
      const second = life(parts, config, await first.store.cut(commits))
      await second.recover()
      for (let more = commits + 1; more < second.store.commits; more += 3) {
        const before = await second.store.cut(more)
        const third = life(parts, config, await before.cut(more))
        await third.recover()
        expectOrder(third, before)
      }
    }
  })
})
