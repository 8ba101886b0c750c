import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { conversationProblems, expectEvents } from '../../../../test/support/conversation-problems.ts'
import {
  agent,
  harness,
  refusals,
  shownPrompt,
  tool,
  type Harness,
  type HarnessOptions,
} from '../../../../test/support/runtime-harness.ts'
import { createMemoryStore } from '../../../store/memory.ts'
import {
  documentText,
  exportConversation,
  importConversation,
  parseExport,
} from '../../../../test/support/exports.ts'
import { randomIds } from '../../log/new-id.ts'

const many = (count: number) => Array.from({ length: count }, (_, n) => tool(`t${n}`, { toolset: 'own' }))
const use = (...calls: object[]) => ({ tool: 'use_tool', input: { calls } as never })
const answers = (...calls: { tool: string; input: never }[]) => [{ toolCalls: calls }, { text: 'end' }]
const allowAll = [{ name: 'test', rules: [{ tool: '*', action: 'allow' as const }] }]

/** The names of the tools of each request, by agent. */
function offered(h: Harness): (readonly [string, string[]])[] {
  return h.scripted.requests.map(({ agent, options }) => [
    agent,
    (options.tools ?? []).map(({ name }) => name),
  ])
}

async function played(options: HarnessOptions) {
  const h = harness({ layers: allowAll, ...options })
  const result = await h.run('go')
  h.flush()
  const events = expectEvents(h.store, result.conversationId, h.told)
  expect(conversationProblems(h.store, result.conversationId)).toEqual([])
  for (const { options } of h.scripted.requests) expect(refusals(options.prompt)).toEqual([])
  const last = shownPrompt(h.scripted.requests.findLast((each) => each.agent === 'main')!.options.prompt).at(
    -1,
  )!
  const rows = h.store
    .find('tool_calls', {})
    .map(({ tool, status, error }) => [tool, status, error?.code ?? null])
  return { h, result, events, last, rows }
}

const DELEGATION = ['task', 'task_status', 'task_output', 'task_message', 'task_cancel']
const BOTH = ['get_tools', 'use_tool']
const main = [{ text: 'end' }]

describe('with `auto`', () => {
  it.each([
    [39, false],
    [40, false],
    [41, true],
  ])('%i tools to offer: %s', async (count, learns) => {
    const { h } = await played({ tools: many(count - DELEGATION.length), script: { main } })
    const [[, names]] = offered(h) as [[string, string[]]]
    expect(names).toEqual(learns ? [...DELEGATION, ...BOTH] : expect.not.arrayContaining(BOTH))
    expect(names).toHaveLength(learns ? 7 : count)
  })

  it('what nearly every task needs is offered as it is', async () => {
    const working = ['read', 'bash', 'todo', 'ask_user', 'webfetch'].map((name) => tool(name))
    const { h } = await played({ tools: [...working, ...many(60)], script: { main } })
    expect(offered(h)[0]![1]).toEqual(['read', 'bash', 'todo', 'ask_user', ...DELEGATION, ...BOTH])
  })

  it('counts what the main agent at the top is offered, also for its children', async () => {
    const lead = agent('lead', { tools: ['t1', 't2', 'task'] })
    const input = { subagent_type: 'general', prompt: 'look' }
    const script = { lead: answers({ tool: 'task', input: input as never }), general: [{ text: 'seen' }] }
    const h = harness({ tools: many(60), agents: [agent('main'), agent('general'), lead], script })
    await h.clock.until((await h.start('go', { agent: lead })).result)
    expect(offered(h).slice(0, 2)).toEqual([
      ['lead', ['t1', 't2', ...DELEGATION]],
      ['general', ['t1', 't2']],
    ])
  })

  it('children go on as their conversation does, with however few tools of their own', async () => {
    const critic = agent('critic', { tools: ['t1', 't2'] })
    const input = { subagent_type: 'critic', prompt: 'look' }
    const script = { main: answers({ tool: 'task', input: input as never }), critic: [{ text: 'bad' }] }
    const { h } = await played({ tools: many(60), agents: [agent('main'), critic], script })
    expect(offered(h)[1]).toEqual(['critic', BOTH])
  })

  it('so does one that a person starts, and one without tools has nothing to learn', async () => {
    const agents = [agent('main'), agent('explore', { tools: ['t1'] }), agent('mute', { tools: [] })]
    const script = { main, explore: [{ text: 'found' }], mute: [{ text: 'hm' }] }
    const h = harness({ tools: many(60), agents, script })
    const { conversationId } = await h.run('go')
    await h.clock.until((await h.spawn('look', { conversationId })).result)
    await h.clock.until((await h.spawn('look', { conversationId, agent: agents[2]! })).result)
    const names = new Map(offered(h))
    expect(names.get('explore')).toEqual(BOTH)
    expect(names.get('mute')).toEqual([])
  })
})

it('`on` leaves delegation and what is between agent and person; `off` offers everything', async () => {
  const tools = ['read', 'todo', 'ask_user', 'own'].map((name) => tool(name))
  const on = await played({ tools, config: { discovery: 'on' }, script: { main } })
  expect(offered(on.h)[0]![1]).toEqual(['todo', 'ask_user', ...DELEGATION, ...BOTH])
  const off = await played({ tools: many(60), config: { discovery: 'off' }, script: { main } })
  expect(offered(off.h)[0]![1]).toHaveLength(65)
})

it('the offline searcher is offered its tools', async () => {
  const h = harness({ tools: many(60), script: { main } })
  await h.clock.until((await h.start('go', { model: 'offline' })).result)
  expect(offered(h)[0]![1]).not.toContain('use_tool')
})

const on = { discovery: 'on' }

describe('a call of use_tool', () => {
  it('is a record and its events for each call in it, and one result for the model', async () => {
    const script = {
      main: answers(use({ toolset: 'own', tool: 't1', params: {} }, { agent: 'own', tool: 't2' })),
    }
    const { rows, last, result, events } = await played({ tools: many(3), config: on, script })
    expect(rows).toEqual([
      ['t1', 'completed', null],
      ['t2', 'completed', null],
    ])
    expect(result.toolCalls).toBe(2)
    const told = events.flatMap((event) =>
      'callId' in event && 'tool' in event ? `${event.type} ${event.tool}` : [],
    )
    expect(told.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'tool.completed t1',
      'tool.completed t2',
      'tool.started t1',
      'tool.started t2',
    ])
    expect(last).toBe(
      'tool result(use_tool: [call 1 of 2: t1, completed]\nt1 done\n\n[call 2 of 2: t2, completed]\nt2 done)',
    )
  })

  it('what is wrong with one call fails that one, and says which field it is', async () => {
    const strict = tool('strict', { toolset: 'own', inputSchema: z.object({ id: z.number() }) })
    const calls = [
      { tool: 'strict', params: { id: 'x' } },
      { tool: 'strict', params: [1] },
      { toolset: 'own', params: {} },
      { tool: 'strct' },
      { toolset: 'mail', tool: 'strict', params: { id: 1 } },
      { tool: 'use_tool', params: { calls: [{ tool: 'strict' }] } },
      { tool: 'strict', params: { id: 1 } },
    ]
    const { rows, last } = await played({
      tools: [strict],
      config: on,
      script: { main: answers(use(...calls)) },
    })
    expect(rows.map(([, status, code]) => [status, code])).toEqual([
      ['failed', 'invalid_input'],
      ['failed', 'invalid_input'],
      ['failed', 'invalid_input'],
      ['failed', 'unknown_tool'],
      ['failed', 'unknown_tool'],
      ['failed', 'invalid_input'],
      ['completed', null],
    ])
    for (const words of [
      'id: expected number',
      'expected an object, got a list [1]',
      'calls.0.tool is missing',
      'there is no tool or toolset "strct"; near it: strict',
      'strict is in the toolset own, not in "mail"',
      '`use_tool` cannot be called through itself',
      'completed]\nstrict done',
    ])
      expect(last).toContain(words)
  })

  it('without a list it fails as a whole, and names the field', async () => {
    const { rows, last } = await played({
      tools: many(1),
      config: on,
      script: { main: answers({ tool: 'use_tool', input: { tool: 't0' } as never }) },
    })
    expect(rows).toEqual([['use_tool', 'failed', 'invalid_input']])
    expect(last).toContain('calls is missing')
  })

  it('calls run in the order that their effects ask for', async () => {
    const log: string[] = []
    const traced = (name: string, effects: 'none' | 'write') =>
      tool(name, {
        effects,
        execute: async () => {
          log.push(`${name} begins`)
          await Promise.resolve()
          log.push(`${name} ends`)
          return name
        },
      })
    const tools = [traced('a', 'none'), traced('w', 'write'), traced('b', 'none')]
    const script = { main: answers(use({ tool: 'a' }, { tool: 'w' }, { tool: 'b' })) }
    await played({ tools, config: on, script })
    expect(log).toEqual(['a begins', 'a ends', 'w begins', 'w ends', 'b begins', 'b ends'])
  })

  it('rules bind each call by the name of its tool, and a person is asked about each', async () => {
    const tools = [tool('look'), tool('w', { effects: 'write' }), tool('x', { effects: 'write' })]
    const rules = [{ tool: 'x', action: 'deny' as const }]
    const script = { main: answers(use({ tool: 'w' }, { tool: 'x' }, { tool: 'look' })) }
    const h = harness({ tools, config: on, script, layers: [{ name: 'user config', rules }] })
    h.runtime.approvals.attend()
    const { result } = await h.start('go')
    await h.clock.settle()
    const asked = h.store.find('approvals', {})
    expect(asked.map(({ tool, answer }) => [tool, answer])).toEqual([['w', null]])
    await h.runtime.approvals.answer(asked[0]!.id, { answer: 'once', by: 'me' })
    await h.clock.until(result)
    const rows = h.store.find('tool_calls', {}).map(({ tool, status }) => [tool, status])
    expect(rows).toEqual([
      ['w', 'completed'],
      ['x', 'denied'],
      ['look', 'completed'],
    ])
  })

  it('starts subagents as a direct call does, in the foreground and in the background', async () => {
    const task = (more: object) => ({ toolset: 'agents', tool: 'task', params: { prompt: 'look', ...more } })
    const calls = use(task({ subagent_type: 'explore' }), task({ run_in_background: true }), { tool: 't0' })
    const script = {
      main: [{ toolCalls: [calls] }, { text: 'wait' }, { text: 'end' }],
      explore: [{ text: 'found it' }],
      general: [{ text: 'did it' }],
    }
    const { rows, h } = await played({ tools: many(1), config: on, script })
    expect(rows.map(([name, status]) => [name, status])).toEqual([
      ['task', 'completed'],
      ['task', 'completed'],
      ['t0', 'completed'],
    ])
    const children = h.store.find('branches', { where: { kind: 'subagent' } })
    const ids = h.store
      .find('tool_calls', {})
      .slice(0, 2)
      .map(({ id }) => id)
    expect(children.map(({ originToolCallId }) => originToolCallId)).toEqual(ids)
    const second = shownPrompt(
      h.scripted.requests.findLast(({ agent }) => agent === 'main')!.options.prompt,
    ).join('\n')
    expect(second).toContain('found it')
    expect(second).toContain('did it')
  })

  it('equal calls with equal results are counted, however they are made', async () => {
    const one = use({ tool: 't0' })
    const turns = Array.from({ length: 6 }, () => ({ toolCalls: [one] }))
    const h = harness({ tools: many(1), config: on, script: { main: turns }, layers: allowAll })
    expect(await h.run('go')).toMatchObject({ status: 'paused', reason: 'stall', toolCalls: 5 })
    expect(h.store.find('tool_calls', {}).at(-1)).toMatchObject({
      status: 'skipped',
      error: { code: 'repeated' },
    })
    const inOne = harness({
      tools: many(1),
      config: on,
      script: { main: [{ toolCalls: [use(...Array(6).fill({ tool: 't0' }))] }, { toolCalls: [one] }] },
      layers: allowAll,
    })
    expect(await inOne.run('go')).toMatchObject({ status: 'paused', reason: 'stall' })
  })

  it('a tool that the model learned answers to its own name too', async () => {
    const { rows } = await played({
      tools: many(2),
      config: on,
      script: { main: answers({ tool: 't1', input: {} as never }) },
    })
    expect(rows).toEqual([['t1', 'completed', null]])
  })

  it('where it is off, it is not offered, and reaches the tools all the same', async () => {
    for (const config of [{}, { discovery: 'off' }]) {
      const lookUp = { tool: 'toolManager_getTools', input: {} as never }
      const script = { main: answers(lookUp, { ...use({ tool: 't1' }), tool: 'toolManager.useTool' }) }
      const { rows, h, last } = await played({ tools: many(2), config, script })
      expect(rows).toEqual([
        ['toolManager_getTools', 'completed', null],
        ['t1', 'completed', null],
      ])
      expect(last).toContain('t1 done')
      for (const { options } of h.scripted.requests)
        expect(options.tools?.map(({ name }) => name)).not.toContain('use_tool')
    }
  })

  it('where it is off, a rule that denies a tool binds it within use_tool too', async () => {
    const layers = [{ name: 'user config', rules: [{ tool: 't1', action: 'deny' as const }] }]
    const { rows } = await played({ tools: many(2), layers, script: { main: answers(use({ tool: 't1' })) } })
    expect(rows).toEqual([['t1', 'denied', 'denied']])
  })
})

describe('a child', () => {
  const input = { prompt: 'look', subagent_type: 'general', allowed_tools: ['t1'] }

  it('learns what it may call, and is refused by name what it may not', async () => {
    const script = {
      main: answers({ tool: 'task', input: input as never }),
      general: [
        { toolCalls: [{ tool: 'get_tools', input: {} }] },
        { toolCalls: [use({ tool: 't1' }, { tool: 't2' }, { tool: 'task', params: { prompt: 'more' } })] },
        { text: 'done' },
      ],
    }
    const { rows, h } = await played({ tools: many(3), config: on, script })
    expect(rows).toEqual([
      ['task', 'completed', null],
      ['get_tools', 'completed', null],
      ['t1', 'completed', null],
      ['t2', 'failed', 'unknown_tool'],
      ['task', 'failed', 'nested_not_allowed'],
    ])
    const read = h.scripted.requests.filter(({ agent }) => agent === 'general')[1]!.options.prompt
    expect(shownPrompt(read).at(-1)).toBe(
      'tool result(get_tools: Toolsets: own (1)\nown:\n- t1: the tool t1)',
    )
  })

  it('a rule that names get_tools counts', async () => {
    const layers = [{ name: 'user config', rules: [{ tool: 'get_tools', action: 'deny' as const }] }]
    const script = { main: answers({ tool: 'get_tools', input: {} as never }) }
    const { rows } = await played({ tools: many(3), config: on, script, layers })
    expect(rows).toEqual([['get_tools', 'denied', 'denied']])
  })
})

test('a fork from the middle of it has its calls as not run, in one result', async () => {
  const script = { main: [...answers(use({ tool: 't0' }, { tool: 't1' })), { text: 'other' }] }
  const { h } = await played({ tools: many(2), config: on, script })
  const [call] = h.store.find('tool_calls', {})
  await h.clock.until((await h.fork(call!.messageId, 'and now?')).result)
  const prompt = h.scripted.requests.at(-1)!.options.prompt
  expect(refusals(prompt)).toEqual([])
  expect(shownPrompt(prompt).at(-2)).toBe(
    'tool result(use_tool: [call 1 of 2: t0, skipped]\nnot run on this branch\n\n[call 2 of 2: t1, skipped]\nnot run on this branch)',
  )
})

test('an exported conversation arrives equal to the byte, and goes on with the same context', async () => {
  const script = {
    main: [
      ...answers(use({ toolset: 'own', tool: 't0', params: { a: 1 } }, { tool: 't1' })),
      { text: 'more' },
    ],
  }
  const { h, result } = await played({ tools: many(2), config: on, script })
  const text = documentText(exportConversation(h.store, result.conversationId))
  const store = createMemoryStore()
  const id = await importConversation(store, parseExport(text), randomIds(h.clock))
  expect(documentText(exportConversation(store, id))).toBe(text)
  const other = harness({ tools: many(2), config: on, script: { main }, store })
  await other.run('and?', { conversationId: id })
  await h.run('and?', { conversationId: result.conversationId })
  const before = (each: Harness) => each.scripted.requests.at(-1)!.options.prompt
  expect(before(other)).toEqual(before(h))
})
