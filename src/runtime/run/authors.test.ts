import { describe, expect, test } from 'vitest'
import { call, foreground, slow, spawn, stage, use, type Staged } from '../../../test/support/stage.ts'
import type { Part } from '../../../test/support/actor.ts'
import { agent } from '../../../test/support/runtime-harness.ts'
import { authorOf, authorWords } from '../../core/message.ts'
import { readMessages } from './messages.ts'

/** `author: text`, for each message on the branch of an agent. */
function told(h: Staged, name: string): string[] {
  const branch = h.store.find('branches', {}).find((each) => each.agent === name)!
  return readMessages(h.store, branch.id)
    .filter(({ role }) => role === 'user')
    .flatMap((message) =>
      message.parts.map((part) => {
        if (part.type === 'report') return `report of ${part.report.agent}: ${part.text}`
        return part.type === 'text' ? `${authorWords(authorOf(part, message))}: ${part.text}` : part.type
      }),
    )
}

describe('the author of each message to an agent', () => {
  test('names a person, the parent that starts or steers the agent, and the child that reports', async () => {
    const main: Part[] = [{ calls: [spawn('a')] }, call('task_message', 0, { message: 'look left' })]
    const h = stage({ main, a: [{ calls: [use('read')], delayMs: 5_000 }, slow('r')] })
    await h.run('go')
    expect(told(h, 'main')).toEqual(['User: go', 'report of a: r'])
    expect(told(h, 'a')).toEqual(['main (agent): do a', 'main (agent): look left'])
  })

  test('of a continued run is its parent with a text and the runtime without one', async () => {
    const main: Part[] = [
      { calls: [foreground('a')] },
      ({ ids }) => ({ calls: [['task', { continue: ids[0], prompt: 'and more' }]] }),
      ({ ids }) => ({ calls: [['task', { continue: ids[0] }]] }),
    ]
    const h = stage({ main, a: [] })
    await h.run('go')
    expect(told(h, 'a')).toEqual([
      'main (agent): do a',
      'main (agent): and more',
      'Runtime: Continue your previous work.',
    ])
  })

  test('is the person who steers, or who continues with a text', async () => {
    const h = stage({ main: [{ calls: [use('read')], delayMs: 5_000 }] })
    const started = await h.start('go')
    await h.clock.advance(1_000)
    const target = started.branchId
    await h.perform(started.conversationId, { verb: 'steer', target, args: { text: 'left' } })
    await h.clock.until(started.result)
    await h.clock.until((await h.continue(target, { text: 'on' })).started!.result)
    await h.clock.until((await h.continue(target)).started!.result)
    expect(told(h, 'main')).toEqual([
      'User: go',
      'User: left',
      'User: on',
      'Runtime: Continue your previous work.',
    ])
  })

  test('is the runtime for its own messages', async () => {
    const agents = [agent('main'), agent('general'), agent('a', { firstTurnReminder: true })]
    const h = stage({ main: [{ calls: [foreground('a')] }], a: [{ text: 'a guess' }] }, { agents })
    await h.run('go')
    expect(told(h, 'a')).toEqual([
      'main (agent): do a',
      expect.stringMatching(/^Runtime: You ended your first turn/),
    ])
  })
})

describe('the reminder after a first turn without a call', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const agents = (more = {}) => [
    agent('main'),
    agent('general'),
    agent('a', { firstTurnReminder: true, ...more }),
  ]

  test('is left out if the report satisfies its schema', async () => {
    const main: Part[] = [{ calls: [foreground('a', { output_schema: schema })] }]
    const h = stage({ main, a: [{ text: '{"n": 1}' }] }, { agents: agents() })
    await h.run('go')
    expect(h.actor.of('a')).toHaveLength(1)
  })

  test('is left out on a fork, and for an agent without the setting', async () => {
    const plain = stage({ main: [{ calls: [foreground('a')] }], a: [{ text: 'a guess' }] })
    await plain.run('go')
    expect(plain.actor.of('a')).toHaveLength(1)
    const h = stage(
      { main: [{ calls: [foreground('a')] }], a: [{ calls: [use('read')] }, { text: 'found' }] },
      { agents: agents() },
    )
    const { subagents } = await h.run('go')
    const message = subagents[0]!.reportMessageId!
    const fork = await h.fork(message, 'and why?')
    await h.clock.until(fork.result)
    expect(h.actor.of('a')).toHaveLength(3)
  })
})
