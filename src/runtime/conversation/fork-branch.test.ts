import { describe, expect, test } from 'vitest'
import { conversationProblems, expectEvents } from '../../../test/support/conversation-problems.ts'
import {
  agent,
  harness,
  refusals,
  shownPrompt,
  stores,
  tool,
  type Harness,
} from '../../../test/support/runtime-harness.ts'
import type { BranchId, RunId } from '../../core/ids.ts'
import { exportConversation } from '../../../test/support/exports.ts'
import { readMessages } from '../run/messages.ts'

const allowAll = [{ name: 'test', rules: [{ tool: '*', action: 'allow' as const }] }]
const read = { tool: 'read', input: {} }
const task = { tool: 'task', input: { prompt: 'find x', subagent_type: 'explore', description: 'finder' } }

/** A main agent with a subagent that reads twice, side by side, and then reports. */
async function family(more: { readonly [agent: string]: object[] } = {}, store?: Harness['store']) {
  const { main = [], explore = [] } = more
  const h = harness({
    ...(store && { store }),
    tools: [tool('read'), tool('write', { effects: 'write' })],
    layers: allowAll,
    agents: [
      agent('main'),
      agent('explore', { maxTurns: 7, permissions: [{ tool: 'write', action: 'deny' }] }),
    ],
    script: {
      main: [{ text: 'I ask.', toolCalls: [task] }, { text: 'end' }, ...(main as never[])],
      explore: [
        { text: 'I look.', toolCalls: [read, read] },
        { text: 'the report' },
        ...(explore as never[]),
      ],
    },
  })
  const { conversationId, branchId } = await h.run('go', { model: 'a/b' })
  const child = h.store.find('branches', { where: { conversationId, kind: 'subagent' } })[0]!
  const messages = (id: BranchId) => readMessages(h.store, id)
  return { h, conversationId, main: messages(branchId), child, childMessages: messages(child.id) }
}

const lastPrompt = (h: Harness) => shownPrompt(h.scripted.requests.at(-1)!.options.prompt)

describe.each(stores)('a fork in the %s store', (_, open) => {
  test('of an answer with open calls is a branch whose first run sees that they were not run', async () => {
    const { h, conversationId, main } = await family({ main: [{ text: 'another way' }] }, await open())
    const asked = main.find(({ role }) => role === 'assistant')!
    const started = await h.fork(asked.id, 'Do it yourself.')
    expect(await h.clock.until(started.result)).toMatchObject({
      text: 'another way',
      subagents: [],
      turns: 1,
    })
    expect(h.store.get('branches', started.branchId)).toMatchObject({
      kind: 'fork',
      inheritContext: true,
      parentBranchId: asked.branchId,
      originMessageId: asked.id,
      originToolCallId: null,
      agent: 'main',
      label: 'Do it yourself.',
    })
    expect(h.store.get('runs', started.runId)).toMatchObject({ depth: 0, model: 'a/b', parentRunId: null })
    expect(lastPrompt(h)).toEqual([
      expect.stringMatching(/^system You are main\./),
      'user text(go)',
      'assistant text(I ask.) call(task)',
      'tool result(task: not run on this branch)',
      'user text(Do it yourself.)',
    ])
    expect(readMessages(h.store, asked.branchId)).toEqual(main)
    h.flush()
    expect(conversationProblems(h.store, conversationId)).toEqual([])
    expectEvents(h.store, conversationId, h.told)
    const exported = exportConversation(h.store, conversationId)
    const branches = exported.messages.find(({ id }) => id === asked.id)!.branches!
    expect(branches.map(({ type, id }) => [type, id])).toContainEqual(['human', started.branchId])
    await h.store.close()
  })

  test('inside a subagent has its agent, rules, limits and depth, and reports to nobody', async () => {
    const write = { toolCalls: [{ tool: 'write', input: {} }] }
    const { h, conversationId, child, childMessages } = await family(
      { explore: [write, { text: 'another report' }] },
      await open(),
    )
    const results = childMessages.find(({ role }) => role === 'tool')!
    const started = await h.fork(results.id, 'Write it.')
    expect(await h.clock.until(started.result)).toMatchObject({ text: 'another report' })
    expect(h.store.get('branches', started.branchId)).toMatchObject({
      kind: 'fork',
      parentBranchId: child.id,
      agent: 'explore',
    })
    const run = h.store.get('runs', started.runId)!
    expect(run).toMatchObject({ depth: 1, agent: 'explore', model: 'a/b', limits: { maxTurns: 7 } })
    expect(h.store.find('tool_calls', { where: { runId: run.id } })).toMatchObject([
      { tool: 'write', status: 'denied' },
    ])
    expect(h.scripted.requests.flatMap(({ options }) => refusals(options.prompt))).toEqual([])
    expect(h.store.count('inbox', { conversationId })).toBe(0)
    expect(conversationProblems(h.store, conversationId)).toEqual([])
    await h.store.close()
  })
})

describe('a fork', () => {
  test('of any message of any branch is accepted by providers', async () => {
    const { h, conversationId, main, childMessages } = await family()
    const all = [...main, ...childMessages]
    expect(all.map(({ role }) => role)).toEqual(
      expect.arrayContaining(['system', 'user', 'assistant', 'tool']),
    )
    const model = harness({
      store: h.store,
      clock: h.clock,
      script: { '*': all.map(() => ({ text: 'ok' })) },
      agents: [agent('main'), agent('explore')],
    })
    for (const { id } of all) {
      const { result } = await model.fork(id, 'and now?')
      expect(await model.clock.until(result)).toMatchObject({ status: 'completed', text: 'ok' })
    }
    for (const { options } of model.scripted.requests) {
      expect(refusals(options.prompt)).toEqual([])
      expect(shownPrompt(options.prompt).at(-1)).toBe('user text(and now?)')
    }
    expect(conversationProblems(h.store, conversationId)).toEqual([])
  })

  test('in the middle of a batch of calls has the results that there are by then', async () => {
    const h = harness({
      tools: [tool('read'), tool('slow', { execute: () => new Promise(() => {}) })],
      script: { main: [{ toolCalls: [read, { tool: 'slow', input: {} }] }, { text: 'ok' }] },
    })
    const { branchId, stop } = await h.start('go')
    await h.clock.settle()
    const results = readMessages(h.store, branchId).at(-1)!
    expect(results).toMatchObject({ role: 'tool', state: 'streaming' })
    const fork = await h.fork(results.id, 'and now?')
    await h.clock.settle()
    expect(lastPrompt(h).slice(2)).toEqual([
      'assistant call(read) call(slow)',
      'tool result(read: read done) result(slow: not run on this branch)',
      'user text(and now?)',
    ])
    expect(refusals(h.scripted.requests.at(-1)!.options.prompt)).toEqual([])
    stop('pause')
    await h.clock.until(fork.result)
  })

  test('of a fork goes on from there', async () => {
    const { h, main } = await family({ main: [{ text: 'one' }, { text: 'two' }] })
    const first = await h.fork(main.at(-1)!.id, 'first')
    await h.clock.until(first.result)
    const said = readMessages(h.store, first.branchId)[0]!
    const second = await h.fork(said.id, 'second')
    await h.clock.until(second.result)
    expect(lastPrompt(h).slice(-3)).toEqual(['assistant text(end)', 'user text(first)', 'user text(second)'])
    expect(h.store.get('branches', second.branchId)).toMatchObject({ parentBranchId: first.branchId })
  })

  test('without a text is a branch without a run, which can be forked too', async () => {
    const { h, main, conversationId } = await family({ main: [{ text: 'one' }] })
    const target = main[1]!.id
    const { branchId } = await h.perform(conversationId, { verb: 'fork', target, args: null })
    expect(h.store.get('branches', branchId)).toMatchObject({
      kind: 'fork',
      originMessageId: target,
      label: 'fork of main',
    })
    expect(h.store.count('runs', { branchId })).toBe(0)
    expect(h.scripted.requests).toHaveLength(4)
    h.flush()
    expectEvents(h.store, conversationId, h.told)
  })

  test('without a text begins when it is continued', async () => {
    const { h, main, conversationId } = await family({ main: [{ text: 'one' }, { text: 'two' }] })
    const { branchId } = await h.perform(conversationId, { verb: 'fork', target: main[1]!.id, args: null })
    const { started } = await h.continue(branchId, { text: 'and now?' })
    expect(await h.clock.until(started!.result)).toMatchObject({ status: 'completed', branchId })
    expect(lastPrompt(h).at(-1)).toBe('user text(and now?)')
    h.flush()
    expectEvents(h.store, conversationId, h.told)
  })

  test('has the turns that it is given, where another process asks too', async () => {
    const { h, main, conversationId } = await family({
      main: [{ text: 'one' }, { text: 'two' }, { text: 'three' }],
    })
    const target = main[1]!.id
    const turnsOf = (id: RunId) => h.store.get('runs', id)!.limits.maxTurns
    const own = await h.fork(target, 'on', { maxTurns: 2 })
    const args = { text: 'and on', maxTurns: 3 }
    const other = await h.perform(conversationId, { verb: 'fork', target, args })
    expect([turnsOf(own.runId), turnsOf(other.runId!)]).toEqual([2, 3])
    await h.clock.until(own.result)
  })

  test('of a conversation in which nothing has run needs a model', async () => {
    const h = harness({ script: { explore: [{ text: 'r' }], main: [{ text: 'hello' }] } })
    const spawned = await h.spawn('look')
    await h.clock.until(spawned.result)
    const main = h.store.find('branches', { where: { kind: 'main' } })[0]!
    const card = readMessages(h.store, main.id)[0]!
    const { runId, result } = await h.fork(card.id, 'hi', { defaultModel: async () => 'c/d' })
    expect(await h.clock.until(result)).toMatchObject({ text: 'hello' })
    expect(h.store.get('runs', runId)).toMatchObject({ model: 'c/d', depth: 0, limits: { maxTurns: 50 } })
  })

  test.each([
    ['msg_00000000000000000000000000', /^there is no message msg_0+$/],
    ['nonsense', /^there is no message nonsense$/],
    ['x'.repeat(500), /^there is no message x{100}$/],
    ['brn', /is the id of a branch, not of a message$/],
    ['cnv', /is the id of a conversation, not of a message$/],
    ['run', /is the id of a run, not of a message$/],
  ])('of %.40s is refused with what it is', async (id, message) => {
    const { h, conversationId, child } = await family()
    const run = h.store.find('runs', { where: { conversationId } })[0]!
    const given = { brn: child.id, cnv: conversationId, run: run.id }[id] ?? id
    const before = h.store.count('branches', {})
    const code = given === id ? 'not_found' : 'usage'
    await expect(h.fork(given, 'x')).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
    const bare = h.perform(conversationId, { verb: 'fork', target: given, args: null })
    await expect(bare).rejects.toMatchObject({ code })
    expect(h.store.count('branches', {})).toBe(before)
  })

  test('of a subagent is bound by the agent that has spawned it, whichever the conversation began with', async () => {
    const write = { toolCalls: [{ tool: 'write', input: {} }] }
    const explore = [{ text: 'r' }, write, { text: 'r' }]
    const narrow = agent('main', { permissions: [{ tool: 'write', action: 'deny' }] })
    const h = harness({
      tools: [tool('write', { effects: 'write' })],
      layers: allowAll,
      agents: [agent('wide'), narrow, agent('explore')],
      script: { wide: [{ text: 'hi' }], main: [{ toolCalls: [task] }, { text: 'end' }], explore },
    })
    const { conversationId } = await h.run('hi', { agent: agent('wide') })
    await h.run('go', { conversationId, agent: narrow })
    const child = h.store.find('branches', { where: { kind: 'subagent' } })[0]!
    const { runId, result } = await h.fork(readMessages(h.store, child.id).at(-1)!.id, 'Write.')
    await h.clock.until(result)
    expect(h.store.find('tool_calls', { where: { runId } })).toMatchObject([{ status: 'denied' }])
  })

  test('keeps the restrictions of the spawn', async () => {
    const write = { toolCalls: [{ tool: 'write', input: {} }] }
    const restricted = { ...task, input: { ...task.input, disallowed_tools: ['write'] } }
    const h = harness({
      tools: [tool('write', { effects: 'write' })],
      layers: allowAll,
      script: {
        main: [{ toolCalls: [restricted] }, { text: 'end' }],
        explore: [{ text: 'r' }, write, { text: 'r' }],
      },
    })
    await h.run('go')
    const child = h.store.find('branches', { where: { kind: 'subagent' } })[0]!
    const fork = await h.fork(readMessages(h.store, child.id).at(-1)!.id, 'Write.')
    expect(fork.tools).toEqual([])
    await h.clock.until(fork.result)
    expect(h.store.find('tool_calls', { where: { runId: fork.runId } })).toMatchObject([{ status: 'failed' }])
  })

  test('of an agent that is not defined any more is refused by its name', async () => {
    const { h, childMessages } = await family()
    const other = harness({ store: h.store, clock: h.clock, agents: [agent('main')] })
    await expect(other.fork(childMessages[0]!.id, 'x')).rejects.toThrow('the agent "explore" of this branch')
  })
})
