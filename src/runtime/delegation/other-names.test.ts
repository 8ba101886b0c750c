import { describe, expect, test } from 'vitest'
import { agent, harness, tool, type HarnessOptions } from '../../../test/support/runtime-harness.ts'

const end = [{ text: 'end' }]
const all = [agent('main'), agent('general'), agent('explore'), agent('planner')]
const call = (name: string, input: object) => ({ tool: name, input: input as never })

async function played(calls: ReturnType<typeof call>[], { agents = all, ...options }: HarnessOptions = {}) {
  const h = harness({
    agents,
    tools: [tool('read')],
    script: { main: [{ toolCalls: calls }, ...end, ...end, ...end], '*': end },
    ...options,
  })
  await h.run('go', { agent: agents[0]! })
  const rows = h.store.find('tool_calls', { orderBy: 'id' })
  const runs = h.store.find('runs', { orderBy: 'id' }).filter(({ depth }) => depth > 0)
  return {
    calls: rows.map(({ status, error }) => error?.code ?? status),
    children: runs.map(({ agent, background }) => [agent, background]),
  }
}

describe('the task tool under names of other systems', () => {
  test.each([
    ['task', false],
    ['Agent', false],
    ['subagent', true],
    ['spawn_subagent', true],
    ['agentManager_subagent', false],
    ['agentManager.subagent', false],
  ])('%s starts a subagent; in the background: %s', async (name, background) => {
    const { children } = await played([call(name, { prompt: 'look', subagent_type: 'Explore' })])
    expect(children).toEqual([['explore', background]])
  })

  test('what the call or the agent says counts before the name', async () => {
    const said = call('subagent', { prompt: 'look', run_in_background: false })
    expect((await played([said])).children).toEqual([['general', false]])
    const waits = [agent('main'), agent('general', { background: false })]
    expect((await played([call('subagent', { prompt: 'look' })], { agents: waits })).children).toEqual([
      ['general', false],
    ])
  })

  test('a rule for an agent binds it under every name', async () => {
    const layers = [{ name: 'rules', rules: [{ tool: 'task', pattern: 'explore', action: 'deny' as const }] }]
    const named = (subagent_type: string) => call('task', { prompt: 'look', subagent_type })
    const { calls, children } = await played([named('explore'), named('Explore'), named('Plan')], { layers })
    expect(calls).toEqual(['denied', 'denied', 'completed'])
    expect(children).toEqual([['planner', false]])
  })

  test.each(['Explore', 'explorer'])('a rule that names an agent %s denies ours', async (pattern) => {
    const layers = [{ name: 'rules', rules: [{ tool: 'task', pattern, action: 'deny' as const }] }]
    const named = (subagent_type: string) => call('task', { prompt: 'look', subagent_type })
    const { calls } = await played([named('explore'), named('Explore'), named('general')], { layers })
    expect(calls).toEqual(['denied', 'denied', 'completed'])
  })

  test('an agent starts those that its list names so', async () => {
    const lists = [agent('main', { spawns: ['Explore'] }), ...all.slice(1)]
    const both = ['Explore', 'Plan'].map((subagent_type) => call('task', { prompt: 'x', subagent_type }))
    expect((await played(both, { agents: lists })).children).toEqual([['explore', false]])
  })
})

test.each(
  ['toolManager_useTool', 'toolManager.useTool', 'use_tool'].flatMap((name) =>
    ['on', 'auto', 'off'].map((discovery) => [name, discovery] as const),
  ),
)('%s reaches the tools with discovery %s', async (name, discovery) => {
  const inner = { tool: 'read', params: { path: 'a' } }
  const layers = [{ name: 'all', rules: [{ tool: '*', action: 'allow' as const }] }]
  const { calls } = await played([call(name, { calls: [inner] }), call('toolManager.getTools', {})], {
    layers,
    config: { discovery },
  })
  expect(calls).toEqual(['completed', 'completed'])
})

test.each(['agentManager_cancelSubagent', 'agentManager.cancelSubagent'])('%s cancels', async (name) => {
  const { calls } = await played([call(name, { subagentId: 'brn_00000000000000000000000000' })])
  expect(calls).toEqual(['completed'])
})
