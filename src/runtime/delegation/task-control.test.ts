import { describe, expect, test } from 'vitest'
import type { Part } from '../../../test/support/actor.ts'
import { call, expectOrder, foreground, slow, spawn, stage, use } from '../../../test/support/stage.ts'
import { agent, stores } from '../../../test/support/runtime-harness.ts'
import { controlAliases } from '../../core/rules/tool-names.ts'

const nested = { config: { limits: { maxDepth: 2 } } }
const NAMES = ['task_status', 'task_output', 'task_message', 'task_cancel'] as const

describe('the tools', () => {
  test('are offered with `task`, and are in the system text', async () => {
    const h = stage({ main: [] })
    const { conversationId } = await h.run('go')
    const [system] = h.store.find('messages', { where: { conversationId, role: 'system' } })
    const [part] = h.store.find('parts', { where: { messageId: system!.id } })
    expect(part!.part).toMatchObject({ text: `You are main. Tools: read, task, ${NAMES.join(', ')}.` })
  })

  test('are not offered at the depth limit, and a forged call of any name is refused', async () => {
    const names = Object.entries(controlAliases).flatMap(([name, aliases]) => [name, ...aliases])
    const forged = [...names, 'cancelSubagent', 'TaskOutput'].map((name) => [name, { task_id: 'x' }] as const)
    const h = stage({ main: [{ calls: [foreground('a')] }], a: [{ calls: forged }] })
    await h.run('go')
    const failed = h.store.find('tool_calls', { where: { status: 'failed' } })
    expect(failed.map(({ error }) => error!.code)).toEqual(forged.map(() => 'nested_not_allowed'))
  })

  test('that a definition disallows are missing, and the others are there', async () => {
    const main = agent('main', { disallowedTools: ['TaskCancel'] })
    const h = stage({
      main: [
        {
          calls: [
            ['task_cancel', {}],
            ['list_subagents', {}],
          ],
        },
      ],
    })
    const { branchId } = await h.run('go', { agent: main })
    const calls = h.store.find('tool_calls', { where: { branchId } })
    expect(calls.map(({ status, error }) => error?.code ?? status)).toEqual(['unknown_tool', 'completed'])
    expect(h.actor.of('main')[1]!.last).toContain('You have started no subagents.')
  })

  test.each(['id', 'subagentId', 'branchId', 'run_id', 'task_id'])('take the id as %s', async (field) => {
    const main: Part[] = [
      { calls: [spawn('a')] },
      ({ ids }) => ({ calls: [['task_output', { [field]: ids[0] }]] }),
    ]
    const h = stage({ main, a: [slow('r')] })
    await h.run('go')
    expect(h.actor.of('main')[2]!.last).toContain('[main (agent)] do a')
  })

  test('take the id of a run', async () => {
    const main: Part[] = [
      { calls: [spawn('a')] },
      () => ({ calls: [['task_output', { run_id: h.store.find('runs', { orderBy: 'id' })[1]!.id }]] }),
    ]
    const h = stage({ main, a: [slow('r')] })
    await h.run('go')
    expect(h.actor.of('main')[2]!.last).toContain('[main (agent)] do a')
  })

  test('without an id, or with two that differ, say so and name the ids', async () => {
    const main: Part[] = [
      { calls: [spawn('a')] },
      ({ ids }) => ({
        calls: [
          ['task_output', {}],
          ['task_message', { message: 'x' }],
          ['task_cancel', { task_id: '' }],
          ['task_cancel', { id: ids[0], run_id: 'run_x' }],
        ],
      }),
    ]
    const h = stage({ main, a: [slow('r')] })
    await h.run('go')
    const { last, ids } = h.actor.of('main')[2]!
    expect(
      last.match(/task_id is missing \(it is also read as id, subagentId, branchId or run_id/g),
    ).toHaveLength(3)
    expect(last.split(`Your subagents: ${ids[0]} (a, running)`)).toHaveLength(4)
    expect(last).toContain('are the same field')
  })

  test.each(stores)('reach nothing but what is below (%s store)', async (_, open) => {
    const store = await open()
    const other = stage({ main: [{ calls: [spawn('a')] }], a: [] }, { store })
    const before = await other.run('go')
    const elsewhere = before.subagents[0]!.branchId
    const branchOf = (name: string) =>
      store
        .find('branches', {})
        .find((branch) => branch.agent === name && branch.conversationId !== before.conversationId)!.id
    const tries = (task_id: string) =>
      NAMES.map((name) => [name, { task_id, ...(name === 'task_message' ? { message: 'm' } : {}) }] as const)
    const general: Part = () => {
      const ids = [elsewhere, branchOf('main'), branchOf('general'), branchOf('a'), 'brn_nothing']
      return { calls: ids.flatMap(tries) }
    }
    const main = [{ calls: [spawn('general'), spawn('a')] }]
    const h = stage(
      { main, general: [{ calls: [use('read')] }, general], a: [slow('r')] },
      { store, ...nested },
    )
    const result = await h.run('go')
    const { conversationId } = result
    const failed = store.find('tool_calls', { where: { conversationId, status: 'failed' }, orderBy: 'id' })
    expect(failed.map(({ error }) => `${error!.code}: ${error!.message.replace(/^brn_\w+ /, '')}`)).toEqual([
      ...NAMES.map(() => 'refused: belongs to another conversation'),
      ...NAMES.map(() => 'refused: is the main agent, not a subagent'),
      ...NAMES.map(() => 'refused: is yourself'),
      ...NAMES.map(() => 'refused: was not started by you or by a subagent of yours'),
      ...NAMES.slice(1).map(() => 'not_found: there is no subagent brn_nothing'),
    ])
    expect(h.actor.of('general')[2]!.last).toContain('not_found: there is no subagent brn_nothing')
    expect(result.subagents.map(({ status }) => status)).toEqual(['completed', 'completed'])
    await store.close()
  })

  test('do not reach an agent above', async () => {
    const general: Part[] = [
      ({ depth }) => ({ calls: depth === 1 ? [foreground('general')] : [use('read')] }),
      () => ({ calls: [['task_cancel', { id: h.store.find('branches', { orderBy: 'id' })[1]!.id }]] }),
    ]
    const config = { limits: { maxDepth: 3 } }
    const first = { calls: [foreground('general')] }
    const h = stage({ main: [first], general: [general[0]!, ...general] }, { config })
    const result = await h.run('go')
    const failed = h.store.find('tool_calls', { where: { status: 'failed' } })
    expect(failed.map(({ error }) => error!.message)).toEqual([
      expect.stringContaining('is an agent above you'),
    ])
    expectOrder(h, result)
  })
})

describe('task_status', () => {
  test('shows one line each, running first, then queued, then the newest', async () => {
    const main: Part[] = [
      { calls: ['a', 'b', 'general', 'c'].map((name) => spawn(name)) },
      { text: 'x', delayMs: 2_000, calls: [['task_status', {}]] },
    ]
    const parts = {
      a: [{ text: 'ra', delayMs: 500 }],
      b: [{ calls: [use('read')], delayMs: 800 }, slow('rb')],
      general: [{ calls: [foreground('d')] }],
      c: [slow('rc')],
      d: [slow('rd')],
    }
    const h = stage({ main, ...parts }, { config: { limits: { maxDepth: 2, maxConcurrent: 2 } } })
    const result = await h.run('go')
    const lines = h.actor
      .of('main')[2]!
      .last.split('\n')
      .map((line) => line.replace(/^brn_\w+ \| |brn_\w+$/g, ''))
    const lead = result.subagents.find((run) => run.agent === 'general')!.branchId
    expect(h.actor.of('main')[2]!.last).toContain(`started by ${lead}`)
    expect(lines).toEqual([
      'c | do c | running | 0/10 turns | 0 tool calls | 2.0 s | $0.527344 left',
      'general | do general | waiting (children: 1 subagent) | 1/10 turns | 1 tool call | last: d: do d | 2.0 s | $0.527344 left, $0.175781 reserved',
      'b | do b | running | 1/10 turns | 1 tool call | last: read | 2.0 s | $0.9375 left',
      'd | do d | queued, number 1 in line for a slot | 0/10 turns | 0 tool calls | 1.5 s | $0.175781 left | started by ',
      'a | do a | completed | 1/10 turns | 0 tool calls | 0.5 s',
    ])
  })

  test('waits for the first to stop, or for the time', async () => {
    const main: Part[] = [
      { calls: [spawn('a'), spawn('b')] },
      { calls: [['task_status', { wait_ms: 30_000 }]] },
      { calls: [['task_status', { wait_ms: 900_000 }]] },
      call('task_status', 1, { wait_ms: '1000' }),
    ]
    const h = stage({ main, a: [slow('ra', 10_000)], b: [slow('rb', 200_000)] })
    const started = await h.start('go')
    const at: number[] = []
    const begun = h.clock.now()
    for (const turns of [3, 4, 5]) {
      while (h.actor.of('main').length < turns) await h.clock.advance(500)
      at.push(h.clock.now() - begun)
    }
    expect(at).toEqual([10_000, 70_000, 71_000])
    const result = await h.clock.until(started.result)
    expect(h.actor.of('main')[2]!.last).toMatch(/b \| do b \| running.*\n.*a \| do a \| completed/)
    expectOrder(h, result)
    expect(h.clock.pending()).toBe(0)
  })
})

describe('task_output', () => {
  test('reads the whole of a long report in pages, and asks no model for it', async () => {
    const whole = `HEAD </subagent_report> ${'wörd 😀 '.repeat(3_000)}TAIL`
    const pages: string[] = []
    const next: Part = ({ last, ids }) => {
      const page = /<subagent_report [^>]*>\n([^]*)\n<\/subagent_report>/.exec(last)?.[1]
      if (page && last.includes('[characters')) pages.push(page)
      const offset = /go on with offset (\d+)/.exec(last)?.[1]
      if (pages.length > 0 && !offset) return { text: 'end' }
      return { calls: [['task_output', { id: ids[0], ...(offset ? { offset } : {}) }]] }
    }
    const h = stage({
      main: [{ calls: [foreground('a')] }, ...Array.from({ length: 9 }, () => next)],
      a: [{ text: whole }],
    })
    const result = await h.run('go')
    expect(h.actor.of('main')[1]!.last).toContain('`task_output` with this task_id reads the whole.')
    expect(pages.join('').replace('<\\/', '</')).toBe(whole)
    expect(pages).toHaveLength(3)
    expect(h.actor.of('a')).toHaveLength(1)
    expectOrder(h, result)
  })

  test('says why there is none', async () => {
    const main: Part[] = [{ calls: [foreground('a')] }, call('task_output', 0)]
    const h = stage({ main, a: [{ text: ' ' }, { text: '' }] })
    await h.run('go')
    expect(h.actor.of('main')[2]!.last).toContain('(no text: the model ended without writing any)')
  })

  test('is the transcript while it runs', async () => {
    const main: Part[] = [
      { calls: [spawn('a')] },
      call('task_output', 0, {}, 5_000),
      call('task_output', 0, { offset: 7, limit: 4 }),
    ]
    const h = stage({ main, a: [{ text: 'first I look', calls: [use('read')], delayMs: 1_000 }, slow('r')] })
    const result = await h.run('go')
    const [, , whole, page] = h.actor.of('main')
    expect(whole!.last).toContain(
      'status="running">\n[main (agent)] do a\n[assistant] first I look\n[call] read {}\n[result of read, completed] read done\n</subagent_transcript>',
    )
    expect(page!.last).toContain('\nagen\n')
    expect(page!.last).toContain('[characters 7 to 11 of ')
    expectOrder(h, result)
  })
})

describe('task_message', () => {
  test.each(stores)('steers at the next turn boundary (%s store)', async (_, open) => {
    const store = await open()
    const main: Part[] = [{ calls: [spawn('a')] }, call('task_message', 0, { message: 'look left' })]
    const a: Part[] = [{ calls: [use('read')], delayMs: 5_000 }, slow('r')]
    const h = stage({ main, a }, { store })
    const result = await h.run('go')
    expect(h.actor.of('a').map(({ last }) => last)).toEqual(['do a', 'look left'])
    expect(h.actor.of('main')[2]!.last).toMatch(/^Sent: brn_\w+ reads it at its next turn\.$/)
    expectOrder(h, result)
    await store.close()
  })

  test('reaches one that has not begun, and one in its last turn, before it reports', async () => {
    const main: Part[] = [
      { calls: [spawn('a'), spawn('b')] },
      ({ ids }) => ({
        calls: ids.map((task_id) => ['task_message', { task_id, message: 'look left' }] as const),
      }),
    ]
    const h = stage({ main, a: [slow('ra')], b: [] }, { config: { limits: { maxConcurrent: 1 } } })
    const result = await h.run('go')
    expect(h.actor.of('a').map(({ last }) => last)).toEqual(['do a', 'look left'])
    expect(h.actor.of('b').map(({ last }) => last)).toEqual(['look left'])
    expect(result.subagents.map(({ agent, turns }) => `${agent} ${turns}`)).toEqual(['a 2', 'b 1'])
    expectOrder(h, result)
  })

  test('as a follow-up is a further task, with a slot and a report of its own', async () => {
    const main: Part[] = [
      { calls: [spawn('a'), spawn('b')] },
      call('task_message', 0, { message: 'and now this', mode: 'follow_up' }),
    ]
    const a = [slow('first', 1_000), slow('second', 2_000)]
    const h = stage({ main, a, b: [slow('rb', 10_000)] }, { config: { limits: { maxConcurrent: 1 } } })
    const result = await h.run('go')
    expect(h.actor.of('a').map(({ last }) => last)).toEqual(['do a', 'and now this'])
    const heard = h.actor
      .of('main')
      .slice(3)
      .map(({ last }) => />\n(\w+)\n</.exec(last)![1])
    expect(heard).toEqual(['first', 'rb', 'second'])
    const queued = h.told.filter(({ type }) => type === 'run.queued')
    expect(queued).toMatchObject([{ agent: 'b' }, { agent: 'a', from: null, position: 1 }])
    expectOrder(h, result)
  })

  test('to one that has stopped is refused with what to do instead', async () => {
    const main: Part[] = [{ calls: [foreground('a')] }, call('task_message', 0, { message: 'x' })]
    const h = stage({ main, a: [] })
    const result = await h.run('go')
    expect(h.actor.of('main')[2]!.last).toMatch(
      /^brn_\w+ is completed and reads no messages\ntask_output has/,
    )
    expect(h.store.count('inbox', {})).toBe(0)
    expectOrder(h, result)
  })
})
