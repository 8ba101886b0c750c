import { describe, expect, test } from 'vitest'
import {
  agent,
  handClock,
  harness,
  tool,
  type HarnessOptions,
} from '../../../test/support/runtime-harness.ts'
import { beginsAfterMs, cutStore } from '../../../test/support/cut-store.ts'
import { outputForModel } from '../../core/report/report-envelope.ts'
import { free } from '../../model/cost-of-usage.ts'
import { createModel } from '../../model/language-model.ts'
import type { ScriptInput } from '../../model/model-script.ts'
import { createScriptedModel } from '../../model/scripted-model.ts'
import { listRuns } from '../views/list-runs.ts'

const TOKENS = 200_000
const read = { tool: 'read', input: {} }
const task = (description: string, more = {}) => ({
  tool: 'task',
  input: {
    prompt: `do ${description}`,
    description,
    subagent_type: 'explore',
    run_in_background: true,
    ...more,
  },
})
const slow = (delayMs: number) => ({ text: 'found', delayMs })

interface Options extends Pick<HarnessOptions, 'layers' | 'store' | 'tools'> {
  readonly limits?: object
  readonly laterMs?: number
}

/** A runtime with 200,000 tokens whose model may write 32,000 at each request. */
function scarce(agents: ScriptInput['agents'], { limits = {}, laterMs, ...more }: Options = {}) {
  const clock = handClock(laterMs)
  const scripted = createScriptedModel({ agents }, { clock })
  const info = {
    id: 'own/scarce',
    provider: 'own',
    label: 'scarce',
    window: null,
    maxOutput: 32_000,
    price: free,
  }
  const model = createModel(scripted, info, { now: clock.now })
  const config = { limits: { maxTokens: TOKENS, ...limits } }
  const known = [agent('main'), agent('general'), agent('explore', { spawns: ['general'] })]
  return harness({ clock, model, agents: known, tools: [tool('read')], ...more, config })
}

const lines = (h: ReturnType<typeof scarce>, agent: string) =>
  listRuns(h.store, { all: true })
    .filter((run) => run.agent === agent)
    .map(({ statusLine: { state, detail } }) => (detail === null ? state : `${state}: ${detail}`))

const answersOf = ({ store }: ReturnType<typeof scarce>) =>
  store.find('tool_calls', { where: { tool: 'task' } }).flatMap(({ resultPartId }) => {
    const part = resultPartId && store.get('parts', resultPartId)?.part
    return part && part.type === 'tool-result' ? [outputForModel(part.output)] : []
  })

const rowOf = (h: ReturnType<typeof scarce>, agent: string) =>
  h.store.find('runs', {}).find((run) => run.agent === agent)!

describe('a run for which others leave too little', () => {
  const eight = Array.from({ length: 8 }, (_, n) => task(`part ${n}`, { max_tokens: 24_600 }))
  const more = Array.from({ length: 20 }, () => ({ text: 'm' }))
  const main = [{ toolCalls: eight }, { toolCalls: [read] }, ...more]

  test('waits while subagents hold it, says how many, and goes on with what they give back', async () => {
    const explore = Array.from({ length: 20 }, (_, n) => slow(n < 4 ? 5_000 : 6_000))
    const h = scarce({ main, explore })
    const started = await h.start('go')
    await h.clock.advance(1_000)
    const run = listRuns(h.store).find(({ agent }) => agent === 'main')
    const reserved = run!.reservedTokens.toLocaleString('en-US')
    expect(lines(h, 'main')).toEqual([`Waiting for budget: ${reserved} tokens are reserved by 8 subagents`])
    await h.clock.advance(4_500)
    expect(h.store.get('runs', started.runId)).not.toMatchObject({ status: 'paused' })
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'completed', text: 'm' })
    expect(h.store.find('inbox', { where: { deliveredAt: null } })).toEqual([])
  })

  test('waits for a subagent that runs a tool: no request is under way', async () => {
    const hold = [task('long', { max_tokens: 100_000 }), task('short', { max_tokens: 97_000 })]
    const explore = [
      { toolCalls: [{ tool: 'work', input: {} }] },
      { toolCalls: [{ tool: 'read', input: {} }] },
      ...more,
    ]
    const work = tool('work', {
      execute: () => h.clock.until(new Promise((done) => h.clock.after(9_000, () => done('')))),
    })
    const h = scarce({ main: [{ toolCalls: hold }, ...more], explore }, { tools: [work] })
    const started = await h.start('go')
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'completed', text: 'm' })
  })
})

describe('a run that waits for budget', () => {
  const m = Array.from({ length: 9 }, () => ({ text: 'm' }))
  const all = (description: string) => task(description, { max_tokens: 199_700 })

  test('pauses, with the figures, once the one that holds it waits for a person', async () => {
    const asks = tool('asks', { effects: 'execute', subject: () => [{ kind: 'command', value: 'make' }] })
    const explore = [{ delayMs: 5_000, toolCalls: [{ tool: 'asks', input: {} }] }, ...m]
    const h = scarce({ main: [{ toolCalls: [all('x')] }, ...m], explore }, { tools: [asks] })
    h.runtime.approvals.attend()
    const started = await h.start('go')
    await h.clock.advance(1_000)
    expect(lines(h, 'main')).toEqual([
      expect.stringMatching(/^Waiting for budget: .* reserved by 1 subagent$/),
    ])
    await h.clock.advance(5_000)
    expect(rowOf(h, 'explore')).toMatchObject({ status: 'waiting', reason: 'approval' })
    const paused = h.store.get('runs', started.runId)!
    expect(paused).toMatchObject({ status: 'paused', reason: 'budget' })
    const left = listRuns(h.store, { all: true }).find(({ id }) => id === started.runId)!.budgetLeftTokens!
    expect(paused.reportNote).toContain(`${left.toLocaleString('en-US')} tokens were left when it paused`)
    expect(paused.reportNote).toMatch(/is reserved by explore/)
  })

  test('goes on once the one that holds it is paused: that gives its share back', async () => {
    const explore = [{ delayMs: 5_000, toolCalls: [read] }, ...m]
    const h = scarce({ main: [{ toolCalls: [all('x')] }, ...m], explore })
    const started = await h.start('go')
    await h.clock.advance(1_000)
    const { id, conversationId } = rowOf(h, 'explore')
    await h.perform(conversationId, { verb: 'pause', target: id, args: null })
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'completed', text: 'm' })
    expect(h.store.get('runs', id)).toMatchObject({ status: 'paused', reason: 'user' })
  })

  test('leaves its slot to the one that holds what it needs', async () => {
    const nested = { subagent_type: 'general', max_tokens: 18_000 }
    const explore = [{ toolCalls: [task('below', nested)] }, ...m]
    const limits = { maxConcurrent: 1, maxDepth: 2 }
    const general = [slow(5_000)]
    const h = scarce(
      { main: [{ toolCalls: [task('x', { max_tokens: 20_000 })] }, ...m], explore, general },
      { limits },
    )
    const started = await h.start('go')
    await h.clock.advance(1_000)
    expect(lines(h, 'explore')).toEqual(['Waiting for budget: 18,000 tokens are reserved by 1 subagent'])
    expect(rowOf(h, 'general')).toMatchObject({ status: 'running' })
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'completed' })
    expect(h.store.find('runs', {}).every(({ status }) => status === 'completed')).toBe(true)
  })

  test('and another that waits for the same do not wait for each other', async () => {
    const huge = 'x'.repeat(4 * 60_000)
    const explore = [{ delayMs: 1_000, toolCalls: [{ tool: 'huge', input: {} }] }, ...m]
    const tools = [tool('huge', { execute: () => huge })]
    const calls = [task('one'), task('two')]
    const h = scarce(
      { main: [{ toolCalls: calls }, { toolCalls: [{ tool: 'huge', input: {} }] }, ...m], explore },
      { tools },
    )
    const started = await h.start('go')
    await h.clock.until(started.result)
    expect(
      h.store.find('runs', {}).every(({ status }) => status === 'completed' || status === 'paused'),
    ).toBe(true)
  })

  test('ends its wait when it is paused or cancelled itself', async () => {
    for (const verb of ['pause', 'cancel'] as const) {
      const h = scarce({ main: [{ toolCalls: [all('x')] }, ...m], explore: [slow(5_000)] })
      const started = await h.start('go')
      await h.clock.advance(1_000)
      await h.perform(started.conversationId, { verb, target: started.runId, args: null })
      const status = verb === 'pause' ? 'paused' : 'cancelled'
      expect(h.store.get('runs', started.runId)).toMatchObject({ status })
      await h.clock.until(started.result)
    }
  })
})

describe('a spawn whose amount others hold', () => {
  const m = Array.from({ length: 9 }, () => ({ text: 'm' }))
  const part = (name: string, max_tokens = 120_000, more = {}) =>
    task(name, { max_tokens, run_in_background: false, ...more })
  const long = [{ toolCalls: [read], delayMs: 5_000 }, slow(5_000), slow(5_000), slow(5_000), slow(5_000)]
  const rows = (h: ReturnType<typeof scarce>) =>
    h.store.find('runs', {}).flatMap(({ depth, status }) => (depth === 0 ? [] : [status]))

  test('waits in the queue, says for what, and begins with all of it when that is free', async () => {
    const main = [{ toolCalls: [part('one'), part('two'), part('three')] }, ...m]
    const h = scarce({ main, explore: long })
    const started = await h.start('go')
    await h.clock.advance(1_000)
    expect(rows(h)).toEqual(['running', 'queued', 'queued'])
    const why = 'Waiting for budget: 120,000 tokens are reserved by 1 subagent'
    expect(lines(h, 'explore')).toEqual(['Running: Thinking', why, why])
    const queued = h.store.find('runs', { where: { status: 'queued' } })
    expect(queued.map(({ limits: { maxTokens, asked } }) => [maxTokens, asked])).toEqual([
      [0, { maxTokens: 120_000, maxCostUsd: null }],
      [0, { maxTokens: 120_000, maxCostUsd: null }],
    ])
    await h.clock.advance(10_000)
    expect(rows(h)).toEqual(['completed', 'running', 'queued'])
    expect(rowOf(h, 'explore').limits.maxTokens).toBe(120_000)
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'completed' })
    expect(rows(h)).toEqual(['completed', 'completed', 'completed'])
  })

  test('holds no slot, and comes to the end of the line of those that wait for one', async () => {
    const calls = [part('one'), part('two'), part('three', 1_000), part('four', 1_000)]
    const h = scarce({ main: [{ toolCalls: calls }, ...m], explore: long }, { limits: { maxConcurrent: 1 } })
    const started = await h.start('go')
    await h.clock.advance(1_000)
    expect(lines(h, 'explore')).toEqual([
      'Running: Thinking',
      'Waiting for budget: 122,000 tokens are reserved by 3 subagents',
      'Queued (number 1 of 2)',
      'Queued (number 2 of 2)',
    ])
    await h.clock.advance(9_500)
    expect(lines(h, 'explore')).toContain('Queued (number 2 of 2)')
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'completed' })
    expect(rows(h)).toEqual(['completed', 'completed', 'completed', 'completed'])
  })

  test('is refused with what it asked, what can be left and the whole, where it can never fit', async () => {
    const main = [{ toolCalls: [part('one'), part('two', 200_001)] }, ...m]
    const h = scarce({ main, explore: long })
    const started = await h.start('go')
    await h.clock.until(started.result)
    const [, refused] = h.store.find('tool_calls', { where: { tool: 'task' } })
    expect(refused!.error!.message).toMatch(
      /^max_tokens 200,001 is more than the 199,\d+ tokens that are left to this conversation: \d+ of 200,000 tokens are used, 120,000 is reserved by explore/,
    )
  })

  test('begins with what there is once nobody can give anything back', async () => {
    const usage = { input: 100, output: 99_000 }
    const explore = [{ ...slow(5_000), usage }, ...long]
    const main = [{ toolCalls: [part('one'), part('two')] }, ...m]
    const h = scarce({ main, explore })
    const started = await h.start('go')
    await h.clock.until(started.result)
    expect(rows(h)).toEqual(['completed', 'completed'])
    const two = h.store.find('runs', {}).at(-1)!
    expect(two.limits.maxTokens).toBeGreaterThan(99_000)
    expect(two.limits.maxTokens).toBeLessThan(120_000)
  })

  test('is paused or cancelled while it waits, and goes on when it is continued', async () => {
    for (const verb of ['pause', 'cancel'] as const) {
      const background = { run_in_background: true }
      const calls = [part('one', 120_000, background), part('two', 120_000, background)]
      const h = scarce({ main: [{ toolCalls: calls }, ...m], explore: long })
      const started = await h.start('go')
      await h.clock.advance(1_000)
      const [queued] = h.store.find('runs', { where: { status: 'queued' } })
      expect(answersOf(h).at(-1)).toContain(
        `task_id ${queued!.branchId}, status queued (budget: 120,000 tokens are reserved by 1 subagent).`,
      )
      await h.perform(started.conversationId, { verb, target: queued!.id, args: null })
      const status = verb === 'pause' ? 'paused' : 'cancelled'
      expect(h.store.get('runs', queued!.id)).toMatchObject({ status, waitingFor: null })
      await h.clock.advance(30_000)
      if (verb === 'cancel') continue
      const again = await h.continue(queued!.branchId)
      await h.clock.until(again.started!.result)
      expect(h.store.get('runs', queued!.id)).toMatchObject({ status: 'completed' })
    }
  })

  test('goes on waiting in the process that takes its conversation up', async () => {
    const store = cutStore()
    const main = [{ toolCalls: [part('one'), part('two')] }, ...m]
    const h = scarce({ main, explore: long }, { store })
    await h.start('go')
    await h.clock.advance(1_000)
    const left = await store.cut(store.commits)
    const later = scarce({ main: m, explore: long }, { store: left, laterMs: beginsAfterMs(store) })
    const recovering = later.recover()
    await later.clock.advance(1_000)
    expect(rows(later)).toEqual(['running', 'queued'])
    expect(lines(later, 'explore')[1]).toMatch(
      /^Waiting for budget: 1\d\d,\d+ tokens are reserved by 1 subagent$/,
    )
    await recovering
    expect(rows(later)).toEqual(['completed', 'completed'])
  })
})
