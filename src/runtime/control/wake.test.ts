import { describe, expect, test } from 'vitest'
import { foreground, slow, spawn, stage, use, type Staged } from '../../../test/support/stage.ts'
import type { BranchId } from '../../core/ids.ts'
import { wokenAgent } from '../views/woken-agent.ts'

/** A subagent that has finished, and the main agent that has read its report. */
async function finished(more: Parameters<typeof stage>[1] = {}) {
  const h = stage({ main: [{ calls: [foreground('a')] }], a: [{ text: 'first' }, { text: 'second' }] }, more)
  const { subagents, branchId, conversationId } = await h.run('go')
  return { h, child: subagents[0]!, main: branchId, conversationId }
}

const runsOn = (h: Staged, branchId: BranchId) => h.store.count('runs', { branchId })

describe('a text to a subagent that has finished', () => {
  test('wakes its parent with the report', async () => {
    const { h, child, main } = await finished()
    const { started } = await h.continue(child.branchId, { text: 'more' })
    await h.clock.until(started!.result)
    expect(runsOn(h, main)).toBe(2)
    expect(h.actor.of('main').at(-1)!.last).toContain('second')
  })

  test('leaves it alone where that is asked for, and the report stays on its branch', async () => {
    const { h, child, main } = await finished()
    const { started } = await h.continue(child.branchId, { text: 'more', wake: false })
    await h.clock.until(started!.result)
    expect(runsOn(h, main)).toBe(1)
    expect(h.store.count('inbox', { branchId: main })).toBe(0)
    const [last] = h.store.find('runs', {
      where: { branchId: child.branchId },
      orderBy: 'id',
      descending: true,
    })
    expect(last).toMatchObject({ status: 'completed', unreported: true, parentRunId: child.parentRunId })
    const again = await h.continue(child.branchId, { text: 'and more' })
    await h.clock.until(again.started!.result)
    expect(runsOn(h, main)).toBe(2)
  })

  test('as a message, too', async () => {
    const { h, child, main, conversationId } = await finished()
    const args = { text: 'more', mode: 'follow_up', wake: false } as const
    const live = await h.continue(main, { text: 'wait' })
    await h.perform(conversationId, { verb: 'message', target: child.branchId, args })
    await h.clock.until(live.started!.result)
    expect(h.store.count('inbox', { branchId: main, kind: 'result' })).toBe(0)
  })

  test('what cannot be kept from it is refused: a run that goes on, a branch that reports to nobody', async () => {
    const { h, main } = await finished()
    await expect(h.continue(main, { text: 'x', wake: false })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('there is no agent to wake'),
    })
    const busy = stage({ main: [{ calls: [foreground('a')] }], a: [slow('r')] })
    const started = await busy.start('go')
    await busy.clock.advance(1_000)
    const child = busy.store.find('branches', {}).find(({ agent }) => agent === 'a')!.id
    const args = { text: 'x', mode: 'steer', wake: false } as const
    await expect(
      busy.perform(started.conversationId, { verb: 'message', target: child, args }),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('whether its report wakes its parent'),
    })
    await busy.clock.until(started.result)
  })
})

describe('who is woken is known before', () => {
  test('by a background subagent that a person has paused, once its parent has ended', async () => {
    const h = stage({
      main: [{ calls: [spawn('a')] }, { text: 'end' }, { text: 'read' }],
      a: [{ calls: [use('read')], delayMs: 60_000 }, { text: 'late' }],
    })
    const started = await h.start('go')
    await h.clock.advance(2_000)
    const child = h.store.find('branches', {}).find(({ agent }) => agent === 'a')!.id
    expect(wokenAgent(h.store, child)).toBeUndefined() // it has not stopped
    await h.perform(started.conversationId, { verb: 'pause', target: child, args: null })
    await h.clock.until(started.result)
    await h.clock.advance(70_000)
    const main = started.branchId
    expect(h.store.find('runs', { where: { branchId: child } })).toMatchObject([
      { status: 'paused', reason: 'user' },
    ])
    expect(wokenAgent(h.store, child)).toBe('main')
    const before = runsOn(h, main)
    const { started: again } = await h.continue(child)
    await h.clock.until(again!.result)
    expect(runsOn(h, main)).toBe(before + 1)
  })

  test('not by a subagent whose call waits for the report', async () => {
    const h = stage({
      main: [{ calls: [foreground('a')] }, { text: 'end' }],
      a: [{ calls: [use('read')], delayMs: 60_000 }, { text: 'late' }],
    })
    const started = await h.start('go')
    await h.clock.advance(2_000)
    const child = h.store.find('branches', {}).find(({ agent }) => agent === 'a')!.id
    await h.perform(started.conversationId, { verb: 'pause', target: child, args: null })
    await h.clock.advance(70_000)
    expect(h.store.find('runs', { where: { branchId: child } })).toMatchObject([{ status: 'paused' }])
    expect(wokenAgent(h.store, child)).toBeUndefined()
  })
})

test('a run that has not concluded reports the texts of its turns in order, as partial', async () => {
  const a = [
    { text: 'First I look.', calls: [use('read')] },
    { calls: [use('read')] },
    { text: 'Then I read.', calls: [use('read')] },
    { calls: [] },
  ]
  const h = stage({ main: [{ calls: [foreground('a', { max_turns: 3 })] }], a })
  const { subagents } = await h.run('go')
  expect(subagents[0]).toMatchObject({ status: 'paused', endReason: 'max_turns' })
  const { last } = h.actor.of('main')[1]!
  expect(last).toContain('(partial: the texts of turns 1 and 3, in order)\nFirst I look.\n\nThen I read.')
})
