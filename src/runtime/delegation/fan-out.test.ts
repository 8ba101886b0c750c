import { expect, test } from 'vitest'
import { agent, called, finish, harness, rawModel, said } from '../../../test/support/runtime-harness.ts'
import type { HarnessOptions } from '../../../test/support/runtime-harness.ts'
import { createMemoryStore } from '../../store/memory.ts'
import type { Store, Tx } from '../../store/port.ts'

const task = (prompt: string, more = {}) => ({
  tool: 'task',
  input: { prompt, subagent_type: 'explore', ...more },
})

function asking(more: HarnessOptions = {}) {
  const calls = [task('one', { max_cost_usd: 1 }), task('two'), task('three')]
  const script = {
    main: [{ toolCalls: calls, usage: { input: 0, output: 0 } }, { text: 'read' }],
    explore: ['a', 'b', 'c'].map((text) => ({ text, usage: { input: 0, output: 0 } })),
  }
  const config = { delegation: 'ask', limits: { maxTokens: 1_000_000 } }
  return harness({ script, config, agents: [agent('main'), agent('explore')], ...more })
}

test('delegation ask: one question for the subagents of an answer, with how many, what at most, and what is left', async () => {
  const h = asking()
  h.runtime.approvals.attend()
  const started = await h.start('go')
  await h.clock.settle()
  const open = h.store.find('approvals', { where: { answer: null } })
  expect(open).toHaveLength(1)
  expect(open[0]).toMatchObject({ tool: 'task', rule: 'delegation is "ask"', offered: null })
  // 1, a quarter of 4 and a quarter of 3 dollars; three quarters less each of a million tokens
  expect(open[0]!.detail.split('\n').slice(0, 5)).toEqual([
    '3 subagents, at most $2.75 and 578,125 tokens together; this leaves $2.25 and 421,875 tokens',
    '- explore: one',
    '- explore: two',
    '- explore: three',
    'scripted costs nothing',
  ])
  expect(h.store.find('runs', { where: { depth: 1 } })).toEqual([])
  await h.perform(started.conversationId, {
    verb: 'approve',
    target: open[0]!.id,
    args: { answer: 'once', by: 'test' },
  })
  expect(await h.clock.until(started.result)).toMatchObject({ status: 'completed', text: 'read' })
  expect(h.store.find('runs', { where: { depth: 1, status: 'completed' } })).toHaveLength(3)
  expect(h.store.find('approvals', {})).toHaveLength(1)
})

test.each([true, false])('a no is for all of them; attended: %s', async (attended) => {
  const h = asking()
  if (attended) h.runtime.approvals.attend()
  const started = await h.start('go')
  await h.clock.settle()
  for (const { id } of h.store.find('approvals', { where: { answer: null } }))
    await h.perform(started.conversationId, {
      verb: 'approve',
      target: id,
      args: { answer: 'deny', by: 'test' },
    })
  await h.clock.until(started.result)
  expect(h.store.find('runs', { where: { depth: 1 } })).toEqual([])
  const calls = h.store.find('tool_calls', { where: { tool: 'task' } })
  const code = attended ? 'denied' : 'unattended'
  expect(calls.map(({ status, error }) => [status, error?.code])).toEqual(
    Array.from({ length: 3 }, () => ['denied', code]),
  )
})

test('what the rules deny is no answer for the others', async () => {
  const rules = [{ tool: 'task', pattern: 'explore', action: 'allow' as const }]
  const script = {
    main: [{ toolCalls: [task('no', { subagent_type: 'other' }), task('yes')] }, { text: 'read' }],
    explore: [{ text: 'a' }],
  }
  const denied = [...rules, { tool: 'task', pattern: 'other', action: 'deny' as const }]
  const agents = [agent('main'), agent('explore'), agent('other')]
  const h = asking({ script, agents, layers: [{ name: 'config', rules: denied }] })
  h.runtime.approvals.attend()
  const started = await h.start('go')
  await h.clock.settle()
  const [open] = h.store.find('approvals', { where: { answer: null } })
  await h.perform(started.conversationId, {
    verb: 'approve',
    target: open!.id,
    args: { answer: 'once', by: 'test' },
  })
  expect(await h.clock.until(started.result)).toMatchObject({ text: 'read' })
  expect(h.store.find('runs', { where: { depth: 1 } }).map((run) => run.agent)).toEqual(['explore'])
})

function wide(children: number, more: HarnessOptions = {}) {
  const prompts = Array.from({ length: children }, (_, at) => `part ${at}`)
  const script = {
    main: [{ toolCalls: prompts.map((prompt) => task(prompt)) }, { text: 'read' }],
    explore: prompts.map((text) => ({ text })),
  }
  const most = { maxSpawns: 100, maxConcurrent: 100, globalConcurrent: 100 }
  return harness({ script, config: { limits: most }, agents: [agent('main'), agent('explore')], ...more })
}

test('of many subagents the first have answered before the last are asked', async () => {
  let asked = 0
  let answered = 0
  const input = { prompt: 'look', subagent_type: 'explore', max_tokens: 10_000 }
  const spawns = Array.from({ length: 40 }, () => called('task', JSON.stringify(input)))
  const model = rawModel((n, { depth }) => {
    if (depth === 0) return [...(n === 0 ? spawns : said('read')), finish()]
    if (++asked === 40) answered = h.store.count('runs', { depth: 1, status: 'completed' })
    return [...said('found'), finish()]
  })
  const h = wide(40, { model })
  expect(await h.run('go')).toMatchObject({ text: 'read' })
  expect(asked).toBe(40)
  expect(answered).toBeGreaterThan(8)
})

/** Rows that the changes of a fan-out read, when all goes well. */
async function readsOf(children: number): Promise<number> {
  const memory = createMemoryStore()
  let reads = 0
  const counting = (tx: Tx): Tx => ({
    ...bound(tx),
    get: (table, key) => {
      reads++
      return tx.get(table, key)
    },
  })
  const store: Store = { ...memory, tx: (write, options) => memory.tx((tx) => write(counting(tx)), options) }
  const h = wide(children, { store })
  expect(await h.clock.until((await h.start('go')).result)).toMatchObject({ text: 'read' })
  expect(h.store.find('runs', { where: { depth: 1, status: 'completed' } })).toHaveLength(children)
  return reads
}

function bound(tx: Tx): Tx {
  return {
    get: tx.get.bind(tx),
    find: tx.find.bind(tx),
    count: tx.count.bind(tx),
    insert: tx.insert.bind(tx),
    update: tx.update.bind(tx),
    delete: tx.delete.bind(tx),
  }
}

test('what a subagent costs does not grow with the number of the others', async () => {
  const [few, many] = [await readsOf(10), await readsOf(40)]
  expect(many / few).toBeLessThan(5)
})
