import { describe, expect, test } from 'vitest'
import type { Part } from '../../../test/support/actor.ts'
import { call, expectOrder, foreground, slow, spawn, stage, use } from '../../../test/support/stage.ts'
import { stores, tool } from '../../../test/support/runtime-harness.ts'

const nested = { config: { limits: { maxDepth: 2 } } }

describe('task_cancel', () => {
  test.each(stores)('ends the subtree, and its report is in the answer only (%s store)', async (_, open) => {
    const store = await open()
    const main: Part[] = [{ calls: [spawn('general'), spawn('a')] }, call('task_cancel', 0, {}, 5_000)]
    const general = [{ text: 'so far', calls: [spawn('b'), foreground('c')] }]
    const h = stage(
      { main, general, a: [slow('ra', 9_000)], b: [slow('rb')], c: [slow('rc')] },
      { store, ...nested },
    )
    const result = await h.run('go')
    const { last } = h.actor.of('main')[2]!
    expect(last).toMatch(
      /^cancelled: brn_\w+; 2 below it cancelled\. Its report so far:\n<subagent_report agent="general"/,
    )
    expect(last).toContain('so far')
    expect(result.subagents.map(({ agent, status, endReason }) => `${agent} ${status} ${endReason}`)).toEqual(
      ['general cancelled parent', 'a completed done', 'b cancelled parent', 'c cancelled parent'],
    )
    expect(store.find('inbox', {})).toMatchObject([{ text: expect.stringContaining('ra') as string }])
    expectOrder(h, result)
    await store.close()
  })

  test('in the queue, paused, and a second time', async () => {
    const main: Part[] = [
      { calls: [spawn('a', { max_turns: 1 }), spawn('b'), spawn('c')] },
      ({ ids }) => ({ delayMs: 5_000, calls: ids.map((task_id) => ['task_cancel', { task_id }] as const) }),
      ({ ids }) => ({ calls: ids.map((task_id) => ['task_cancel', { task_id }] as const) }),
    ]
    const a: Part[] = [{ text: 'half', calls: [use('read')] }]
    const h = stage({ main, a, b: [slow('rb')], c: [] }, { config: { limits: { maxConcurrent: 1 } } })
    const result = await h.run('go')
    const [, , first, second] = h.actor.of('main')
    expect(first!.last.match(/^cancelled: /gm)).toHaveLength(3)
    expect(first!.last).toContain('a done')
    expect(second!.last.match(/^already_finished: brn_\w+ is cancelled$/gm)).toHaveLength(3)
    expect(h.actor.of('c')).toEqual([])
    expect(result.subagents.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    const items = h.store.find('inbox', {})
    expect(items).toHaveLength(1) // the pause had been reported before
    expect(items[0]!.report).toMatchObject({ status: 'paused', reason: 'limit' })
    expectOrder(h, result)
  })

  test('of another agent’s child: the call that waits for it is answered, or the agent reads it', async () => {
    for (const start of [foreground, spawn]) {
      const main: Part[] = [
        { calls: [spawn('general')] },
        { calls: [use('read')], delayMs: 5_000 },
        () => ({
          calls: [
            ['task_cancel', { id: h.store.find('branches', {}).find(({ agent }) => agent === 'b')!.id }],
          ],
        }),
      ]
      const general: Part[] = [
        { calls: [start('b')] },
        ...(start === spawn ? [{ text: 'so far' }] : []),
        { text: 'without b' },
      ]
      const h = stage({ main, general, b: [slow('rb')] }, nested)
      const result = await h.run('go')
      expect(h.actor.of('general').at(-1)!.last).toContain('agent="b"')
      expect(h.actor.of('general').at(-1)!.last).toContain('status="cancelled"')
      expect(h.actor.of('main').at(-1)!.last).toContain('without b')
      expectOrder(h, result)
    }
  })

  test('leaves nothing to be woken below, whatever waits there', async () => {
    const main: Part[] = [
      { calls: [spawn('general')] },
      call('task_message', 0, { message: 'more', mode: 'follow_up' }, 1_000),
      call('task_cancel', 0),
    ]
    const general: Part[] = [{ calls: [spawn('b')] }, slow('so far')]
    const h = stage({ main, general, b: [{ text: 'rb' }] }, nested)
    const result = await h.run('go')
    expect(h.actor.of('general')).toHaveLength(2)
    expect(result.subagents.map(({ agent, status }) => `${agent} ${status}`)).toEqual([
      'general cancelled',
      'b completed',
    ])
    expect(h.store.count('inbox', { deliveredAt: null })).toBe(2)
    expectOrder(h, result)
  })

  test('waits for a child that is deaf', async () => {
    const deaf = tool('deaf', { execute: () => new Promise(() => {}) })
    const main: Part[] = [{ calls: [spawn('a')] }, call('task_cancel', 0, {}, 1_000)]
    const h = stage({ main, a: [{ text: 'begun', calls: [use('deaf')] }] }, { tools: [deaf] })
    const result = await h.run('go')
    expect(h.actor.of('main')[2]!.last).toContain('begun')
    const [child] = result.subagents
    expect(child).toMatchObject({ status: 'cancelled' })
    expect(child!.endedAt! - child!.startedAt!).toBe(11_000)
    expectOrder(h, result)
  })
})
