import { describe, expect, test } from 'vitest'
import {
  agent,
  finish,
  handClock,
  harness,
  rawModel,
  said,
  tool,
} from '../../../test/support/runtime-harness.ts'
import type { AgentDefinition } from '../../core/agent.ts'
import type { ModelRequest } from '../../model/port.ts'
import { createMemoryStore } from '../../store/memory.ts'
import type { Store } from '../../store/port.ts'

const MODEL = 'mine/model'
const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }

interface Given {
  readonly agents?: readonly AgentDefinition[]
  readonly config?: unknown
  readonly store?: Store
  readonly clock?: ReturnType<typeof handClock>
  readonly answers?: readonly (readonly unknown[])[]
  readonly provider?: string
}

function asked({
  agents,
  config = {},
  store = createMemoryStore(),
  clock = handClock(),
  ...given
}: Given = {}) {
  const requests: ModelRequest[] = []
  const { answers = [], provider = 'mine' } = given
  const model = rawModel(
    (n, request) => {
      requests.push(request)
      return answers[n] ?? [...said('done'), finish()]
    },
    { id: `${provider}/model`, provider, price, maxOutput: 50_000 },
  )
  const h = harness({
    agents: agents ?? [agent('main'), agent('general'), agent('explore')],
    tools: [tool('read')],
    config,
    model,
    store,
    clock,
  })
  return { h, requests }
}

const start = { model: MODEL }

describe('the settings of a run', () => {
  test('are those of its model, then of its agent, then what whoever starts it names', async () => {
    const config = { models: { [MODEL]: { temperature: 1, topP: 1, stopSequences: ['A'] } } }
    const main = agent('main', { temperature: 0.5, topP: 0.5 })
    const { h, requests } = asked({ agents: [main], config })
    await h.run('go', { ...start, agent: main, settings: { topP: 0.1, maxOutputTokens: 700 } })
    expect(requests).toMatchObject([
      { temperature: 0.5, topP: 0.1, stopSequences: ['A'], maxOutputTokens: 700 },
    ])
    expect(h.store.find('runs', {})[0]!.setup?.settings).toEqual({
      temperature: 0.5,
      topP: 0.1,
      maxOutputTokens: 700,
    })
  })

  test('of an agent reach a subagent too, and make no answer longer than the configuration of its model', async () => {
    const config = { models: { [MODEL]: { maxOutputTokens: 600 } } }
    const explore = agent('explore', { maxOutputTokens: 9_000 })
    const { h, requests } = asked({ agents: [agent('main'), explore], config })
    const started = await h.spawn('look', { agent: explore, model: MODEL })
    await h.clock.until(started.result)
    expect(requests[0]).toMatchObject({ maxOutputTokens: 600 })
    await h.run('go', { ...start, settings: { maxOutputTokens: 9_000 } })
    expect(requests[1]).toMatchObject({ maxOutputTokens: 9_000 }) // a person's own order
  })

  test('count in its budget: an answer is no longer than what is named', async () => {
    const { h, requests } = asked({ config: { limits: { maxTokens: 20_000, budgetUsd: 5 } } })
    await h.run('go', { ...start, settings: { maxOutputTokens: 1_000 } })
    expect(requests[0]!.maxOutputTokens).toBe(1_000)
    const small = asked({ config: { limits: { maxTokens: 2_200, budgetUsd: 5 } } })
    await small.h.run('go', { ...start, settings: { maxOutputTokens: 1_000 } })
    expect(small.requests[0]!.maxOutputTokens).toBeLessThan(1_000)
  })

  test('make no answer longer than the model can', async () => {
    const { h, requests } = asked()
    await h.run('go', { ...start, settings: { maxOutputTokens: 90_000 } })
    expect(requests[0]!.maxOutputTokens).toBe(50_000)
  })

  test('of another provider than that of the model stay out of its requests', async () => {
    const main = agent('main', {
      providerOptions: { openai: { textVerbosity: 'low' }, ollama: { seed: 1 } },
    })
    const { h, requests } = asked({ agents: [main], provider: 'ollama' })
    await h.run('go', { model: 'ollama/model', agent: main })
    expect(requests[0]!.providerOptions).toEqual({ ollama: { seed: 1 } })
  })

  test('that would have no effect are refused where somebody names them', async () => {
    const { h, requests } = asked()
    const named = { ...start, settings: { promptCache: '1h' } } as const
    await expect(h.start('go', named)).rejects.toMatchObject({
      code: 'usage',
      message: `promptCache has no effect with ${MODEL}: only Claude has a cache time to set`,
    })
    expect(requests).toEqual([])
    const inherits = agent('explore', { promptCache: '1h' })
    await h.clock.until((await h.spawn('look', { agent: inherits, model: MODEL })).result)
    expect(requests).toHaveLength(1)
  })
})

describe('a run that has stopped', () => {
  const read = [{ type: 'tool-call', toolCallId: 'c', toolName: 'read', input: '{}' }, finish('tool-calls')]

  test('keeps its settings, and what is named on continue stands before them', async () => {
    const { h, requests } = asked({ answers: [read, [...said('part'), finish()]] })
    const first = await h.run('go', { ...start, maxTurns: 1, settings: { topP: 0.1, maxOutputTokens: 500 } })
    expect(first.status).toBe('paused')
    const kept = await h.continue(first.branchId, { text: 'more' })
    await h.clock.until(kept.started!.result)
    expect(requests.at(-1)).toMatchObject({ topP: 0.1, maxOutputTokens: 500 })
    const changed = await h.continue(first.branchId, { text: 'more', settings: { topP: 0.9 } })
    await h.clock.until(changed.started!.result)
    expect(requests.at(-1)).toMatchObject({ topP: 0.9, maxOutputTokens: 500 })
    await expect(
      h.continue(first.branchId, { text: 'more', settings: { promptCache: '1h' } }),
    ).rejects.toMatchObject({ code: 'usage' })
  })

  test('is recovered with them, whatever its agent says by then', async () => {
    const store = createMemoryStore()
    const clock = handClock()
    const before = asked({ store, clock, answers: [read] })
    const first = await before.h.run('go', { ...start, maxTurns: 1, settings: { topP: 0.1 } })
    const later = asked({ store, clock, agents: [agent('main', { topP: 0.7, stopSequences: ['A'] })] })
    const gone = await later.h.continue(first.branchId, { text: 'more' })
    await clock.until(gone.started!.result)
    expect(later.requests).toHaveLength(1)
    expect(later.requests[0]).toMatchObject({ topP: 0.1 })
    expect(later.requests[0]!.stopSequences).toBeUndefined()
  })
})

test('an hour of the prompt cache costs more, and is asked for in every request', async () => {
  const usage = {
    inputTokens: { total: 1_000_000, noCache: 0, cacheRead: 0, cacheWrite: 1_000_000 },
    outputTokens: { total: 0, text: 0, reasoning: 0 },
  }
  const answers = [[...said('done'), { ...finish(), usage }]]
  const { h, requests } = asked({ answers, provider: 'anthropic' })
  const settings = { promptCache: '1h' } as const
  const result = await h.run('go', { model: 'anthropic/model', settings })
  expect(requests[0]).toMatchObject({ promptCache: '1h' })
  expect(result.costUsd).toBe(2)
  const other = asked({ answers, agents: [agent('main', settings)] })
  const cheap = await other.h.run('go', { ...start, agent: agent('main', settings) })
  expect(cheap.costUsd).toBe(1) // only Claude models have it
})
