import { describe, expect, test } from 'vitest'
import { conversationProblems, expectEvents } from '../../../test/support/conversation-problems.ts'
import {
  agent,
  harness,
  shownPrompt,
  stores,
  tool,
  type Harness,
} from '../../../test/support/runtime-harness.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Store } from '../../store/port.ts'
import { readMessages } from '../run/messages.ts'

const explore = [{ text: 'the report' }]

function mainBranch(store: Store, conversationId: ConversationId) {
  return store.find('branches', { where: { conversationId, kind: 'main' } })[0]!
}

function mainMessages({ store }: Harness, conversationId: ConversationId) {
  return readMessages(store, mainBranch(store, conversationId).id)
}

describe.each(stores)('a spawn of a person in the %s store', (_, open) => {
  test('without a conversation makes one with an empty main branch, and stands below that', async () => {
    const h = harness({ store: await open(), script: { explore } })
    const started = await h.spawn('Look for x.\nEverywhere.', { label: 'find x' })
    const { conversationId, branchId } = started
    const result = await h.clock.until(started.result)
    expect(result).toMatchObject({ status: 'completed', text: 'the report', subagents: [] })
    const main = mainBranch(h.store, conversationId)
    expect(h.store.get('conversations', conversationId)).toMatchObject({
      title: 'Look for x.',
      directory: '/w',
    })
    expect(h.store.get('branches', branchId)).toMatchObject({
      kind: 'subagent',
      inheritContext: false,
      parentBranchId: main.id,
      originMessageId: null,
      originToolCallId: null,
      agent: 'explore',
      label: 'find x',
    })
    expect(h.store.get('runs', started.runId)).toMatchObject({
      parentRunId: null,
      originCallId: null,
      depth: 1,
    })
    const [card] = mainMessages(h, conversationId)
    expect(card!.parts).toMatchObject([{ type: 'notice', text: 'explore started by User: find x', branchId }])
    expect(shownPrompt(h.scripted.requests[0]!.options.prompt)).toEqual([
      expect.stringMatching(/^system You are explore\./),
      'user text(Look for x.\nEverywhere.)',
    ])
    h.flush()
    expect(conversationProblems(h.store, conversationId)).toEqual([])
    const events = expectEvents(h.store, conversationId, h.told)
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      'conversation.created',
      'branch.created',
      'branch.created',
    ])
    await h.store.close()
  })

  test('begins at the head of the main branch; its report is read with the next message', async () => {
    const main = [{ text: 'hello' }, { text: 'you have found it' }]
    const h = harness({ store: await open(), script: { main, explore } })
    const { conversationId, branchId: mainId } = await h.run('hi')
    const head = readMessages(h.store, mainId).at(-1)!
    const started = await h.spawn('look', { conversationId })
    await h.clock.until(started.result)
    expect(h.store.get('branches', started.branchId)).toMatchObject({
      parentBranchId: mainId,
      originMessageId: head.id,
    })
    expect(h.store.count('runs', { branchId: mainId })).toBe(1)
    const texts = mainMessages(h, conversationId).map(({ parts }) => (parts[0] as { text: string }).text)
    expect(texts.slice(3)).toEqual([
      'explore started by User: look',
      expect.stringMatching(/^explore completed: look \(\d+\.\d s\)$/),
      'the report',
    ])
    expect(h.store.find('inbox', { where: { conversationId } })).toMatchObject([
      { branchId: mainId, kind: 'result', fromRunId: started.runId, deliveredAt: expect.any(Number) },
    ])
    await h.run('and?', { conversationId })
    expect(shownPrompt(h.scripted.requests.at(-1)!.options.prompt).slice(1)).toEqual([
      'user text(hi)',
      'assistant text(hello)',
      expect.stringMatching(/^user text\(<subagent_report[^]+the report/),
      'user text(and?)',
    ])
    h.flush()
    const events = expectEvents(h.store, conversationId, h.told)
    expect(events.filter(({ type }) => type === 'report.delivered')).toMatchObject([
      { fromRunId: started.runId, toBranchId: mainId, status: 'completed' },
    ])
    await h.store.close()
  })

  test.each(['wake', 'both'] as const)(
    'with deliver %s wakes the main agent when it ends',
    async (deliver) => {
      const main = [{ text: 'hello' }, { match: 'the report', text: 'I see.' }]
      const h = harness({ store: await open(), script: { main, explore } })
      const { conversationId, branchId: mainId } = await h.run('hi')
      const started = await h.spawn('look', { conversationId, deliver })
      await h.clock.until(started.result)
      const runs = h.store.find('runs', { where: { branchId: mainId }, orderBy: 'id' })
      expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed'])
      expect(shownPrompt(h.scripted.requests.at(-1)!.options.prompt).at(-1)).toContain('the report')
      const notices = mainMessages(h, conversationId).filter(({ parts }) => parts[0]!.type === 'notice')
      expect(notices).toHaveLength(deliver === 'both' ? 2 : 1)
      expect(conversationProblems(h.store, conversationId)).toEqual([])
      await h.store.close()
    },
  )
})

describe('a spawn of a person', () => {
  test('wakes a main agent that another process has driven', async () => {
    const before = harness({ script: { main: [{ text: 'hello' }] } })
    const { conversationId, branchId: mainId } = await before.run('hi', { model: 'a/b' })
    const h = harness({
      store: before.store,
      clock: before.clock,
      script: { main: [{ text: 'I see.' }], explore },
    })
    const started = await h.spawn('look', { conversationId, deliver: 'wake' })
    await h.clock.until(started.result)
    const [, woken] = h.store.find('runs', { where: { branchId: mainId }, orderBy: 'id' })
    expect(woken).toMatchObject({ status: 'completed', model: 'a/b', agent: 'main', turns: 1 })
    expect(shownPrompt(h.scripted.requests.at(-1)!.options.prompt).at(-1)).toContain('the report')
  })

  test('that is to wake a main agent which never ran waits in its inbox until it has', async () => {
    const h = harness({
      script: { explore, main: [{ text: 'hello' }, { match: 'the report', text: 'I see.' }] },
    })
    const { conversationId, result } = await h.spawn('look', { deliver: 'wake' })
    await h.clock.until(result)
    expect(h.store.find('inbox', { where: { conversationId } })).toMatchObject([{ deliveredAt: null }])
    expect(await h.run('hi', { conversationId })).toMatchObject({ text: 'I see.', turns: 2 })
    expect(conversationProblems(h.store, conversationId)).toEqual([])
  })

  test('while the main agent works does not disturb it, and is not stopped with it', async () => {
    const main = [
      { toolCalls: [{ tool: 'read', input: {} }], delayMs: 500 },
      { text: 'done', delayMs: 500 },
    ]
    const h = harness({ tools: [tool('read')], script: { main, explore: [{ text: 'r', delayMs: 100 }] } })
    const first = await h.start('go')
    const { conversationId } = first
    const second = await h.spawn('look', { conversationId })
    expect(await h.clock.until(first.result)).toMatchObject({
      status: 'completed',
      text: 'done',
      subagents: [],
    })
    expect(await h.clock.until(second.result)).toMatchObject({ status: 'completed', text: 'r', turns: 1 })
    expect(h.scripted.requests.filter(({ depth }) => depth === 0)).toHaveLength(2)
    expect(conversationProblems(h.store, conversationId)).toEqual([])
  })

  test('is stopped by whoever started it, and then nothing is announced', async () => {
    const h = harness({ script: { explore: [{ text: 'r', delayMs: 10_000 }] } })
    const started = await h.spawn('look')
    await h.clock.advance(10)
    started.stop('pause')
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'paused', reason: 'user' })
    expect(mainMessages(h, started.conversationId)).toHaveLength(1)
  })

  test('that fails announces that', async () => {
    const h = harness({ script: { explore: [] } })
    const started = await h.spawn('look')
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'failed' })
    const said = JSON.stringify(mainMessages(h, started.conversationId).map(({ parts }) => parts))
    expect(said).toContain('explore failed: look')
    expect(said).toContain('"status":"failed"')
  })

  test('a main agent that comes later gets its system text first', async () => {
    const h = harness({ script: { explore, main: [{ text: 'hello' }] } })
    const { conversationId, result } = await h.spawn('look')
    await h.clock.until(result)
    expect(await h.run('hi', { conversationId })).toMatchObject({ text: 'hello' })
    expect(shownPrompt(h.scripted.requests.at(-1)!.options.prompt)).toEqual([
      expect.stringMatching(/^system You are main\./),
      expect.stringContaining('the report'),
      'user text(hi)',
    ])
    expect(conversationProblems(h.store, conversationId)).toEqual([])
  })

  test('narrows: rules and tools of the main agent bind it too', async () => {
    const write = { toolCalls: [{ tool: 'write', input: {} }] }
    const h = harness({
      tools: [tool('read'), tool('write', { effects: 'write' })],
      layers: [{ name: 'test', rules: [{ tool: '*', action: 'allow' }] }],
      agents: [
        agent('main', { permissions: [{ tool: 'write', action: 'deny' }] }),
        agent('explore', { tools: ['write'], permissions: [{ tool: 'write', action: 'allow' }] }),
      ],
      script: { explore: [write, { text: 'r' }] },
    })
    const started = await h.spawn('look')
    await h.clock.until(started.result)
    expect(h.store.find('tool_calls', {})).toMatchObject([{ tool: 'write', status: 'denied' }])
    expect(started.tools).toEqual(['write'])
  })

  test('takes the model that the conversation uses, or the one that is asked for', async () => {
    const h = harness({ script: { main: [{ text: 'hello' }], explore: [...explore, ...explore] } })
    const { conversationId } = await h.run('hi', { model: 'a/b' })
    const models = []
    for (const more of [{}, { model: 'c/d' }]) {
      const { runId, result } = await h.spawn('look', { conversationId, ...more })
      await h.clock.until(result)
      models.push(h.store.get('runs', runId)!.model)
    }
    expect(models).toEqual(['a/b', 'c/d'])
  })

  test.each([
    [{ agent: agent('main') }, 'usage', 'the agent main works with a person'],
    [
      { conversationId: 'cnv_00000000000000000000000000' as ConversationId },
      'not_found',
      'there is no conversation',
    ],
    [{ maxTurns: 51 }, 'usage', 'max_turns 51 is more than the 50'],
  ])('with %j is refused', async (more, code, text) => {
    const h = harness({ script: { explore } })
    await expect(h.spawn('look', more)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
    })
    expect(h.store.count('conversations', {})).toBe(0)
  })

  test('beyond maxSpawns is refused, and nothing of it is left', async () => {
    const h = harness({ script: { explore }, config: { limits: { maxSpawns: 1 } } })
    const { conversationId, result } = await h.spawn('look')
    await h.clock.until(result)
    await expect(h.spawn('again', { conversationId })).rejects.toMatchObject({ code: 'conflict' })
    expect(h.store.count('branches', { conversationId })).toBe(2)
  })

  test('is queued where every slot is taken, and runs when one is free', async () => {
    const slow = { text: 'r', delayMs: 1_000 }
    const h = harness({ script: { explore: [slow, slow] }, config: { limits: { maxConcurrent: 1 } } })
    const first = await h.spawn('one')
    const { conversationId } = first
    const second = await h.spawn('two', { conversationId })
    expect(h.store.get('runs', second.runId)).toMatchObject({ status: 'queued' })
    await h.clock.until(Promise.all([first.result, second.result]))
    const ended = h.store.find('runs', { where: { conversationId }, orderBy: 'id' })
    expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(ended[1]!.startedAt).toBeGreaterThanOrEqual(ended[0]!.endedAt!)
  })
})

test('names the agent that started it in the place of a person', async () => {
  const h = harness({ script: { main: [{ text: 'hi' }], explore: [{ text: 'found' }] } })
  const { conversationId, branchId } = await h.run('go')
  const started = await h.spawn('look', { conversationId, author: { agent: 'main', branchId } })
  await h.clock.until(started.result)
  const parts = mainMessages(h, conversationId).flatMap((message) => message.parts)
  expect(parts).toContainEqual(expect.objectContaining({ text: 'explore started by main (agent): look' }))
})
