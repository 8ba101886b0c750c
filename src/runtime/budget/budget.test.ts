import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolResultPart } from '../../core/message.ts'
import { outputForModel } from '../../core/report/report-envelope.ts'
import {
  agent,
  handClock,
  harness,
  stores,
  tool,
  type HarnessOptions,
} from '../../../test/support/runtime-harness.ts'
import type { StoredRun } from '../../core/run.ts'
import { state } from '../../core/run-status.ts'
import { noUsage } from '../../core/usage.ts'
import { createModel } from '../../model/language-model.ts'
import type { Model, Price } from '../../model/port.ts'
import type { ScriptAnswer } from '../../model/model-script.ts'
import { createScriptedModel } from '../../model/scripted-model.ts'
import type { Reader } from '../../store/port.ts'
import { Budget } from './budget.ts'
import { storedRun } from './budget-account.ts'
import { leftBelow } from '../views/left-below.ts'
import { listRuns } from '../views/list-runs.ts'
import { runRows } from '../views/run-rows.ts'
import { unreadOf } from '../views/status-lines.ts'
import { freshFigures } from '../delegation/spawn-child.ts'

/** A dollar for each token of output: the usage of an answer says what it costs. */
const dollarsOut: Price = { input: 0, output: 1_000_000, cacheRead: 0, cacheWrite: 0 }
const costs = (output: number) => ({ usage: { input: 0, output } })
const read = { tool: 'read', input: {} }
const task = (subagent_type: string, more = {}) => ({
  tool: 'task',
  input: { prompt: 'do it', subagent_type, ...more },
})

interface Options extends Pick<HarnessOptions, 'agents' | 'store'> {
  readonly limits?: object
  readonly price?: Price | null
  readonly laterMs?: number
  /** Called at each request. */
  readonly onRequest?: () => void
}

/** A runtime whose model has a price, and the requests that the model got, by agent. */
function priced(script: Lists, options: Options = {}) {
  const { limits = {}, price = dollarsOut, laterMs, onRequest, ...more } = options
  const clock = handClock(laterMs)
  const scripted = createScriptedModel({ agents: freeUnlessSaid(script) }, { clock })
  const info = { id: 'own/priced', provider: 'own', label: 'priced', window: null, maxOutput: 1, price }
  const inner = createModel(scripted, info, { now: clock.now })
  const stream: Model['stream'] = (request) => {
    onRequest?.()
    return inner.stream(request)
  }
  const h = harness({ clock, model: { info, stream }, tools: [tool('read')], config: { limits }, ...more })
  return { h, asked: () => scripted.requests.map((request) => request.agent) }
}

type Lists = Readonly<Record<string, ScriptAnswer[]>>

function freeUnlessSaid(script: Lists): Lists {
  const lists = Object.entries(script)
  return Object.fromEntries(
    lists.map(([name, list]) => [name, list.map((each) => ({ ...costs(0), ...each }))]),
  )
}

const rowOf = (more: Partial<StoredRun>) =>
  ({
    ...freshFigures,
    ...state.running,
    id: 'run_1',
    parentRunId: null,
    depth: 0,
    limits: { maxTurns: 1, maxTokens: null, maxCostUsd: null, timeoutMs: null, stallMs: 1 },
    ...more,
  }) as StoredRun

const spentOf = (store: Reader) => store.find('runs', {}).reduce((sum, run) => sum + (run.costUsd ?? 0), 0)

describe('a conversation that has spent its budget', () => {
  const twoTurns = [
    { text: 'so far', toolCalls: [read], ...costs(2) },
    { text: 'more', toolCalls: [read], ...costs(302) },
    { text: 'never said' },
  ]

  test('pauses before its next request, with the report so far and the figures', async () => {
    const { h, asked } = priced({ main: twoTurns }, { limits: { budgetUsd: 300 } })
    const result = await h.run('go')
    expect(result).toMatchObject({ status: 'paused', reason: 'budget', endReason: 'budget', costUsd: 304 })
    expect(result).toMatchObject({
      text: 'so far\n\nmore',
      note: '$304.00 of $300.00 is spent; partial: the texts of turns 1 and 2, in order',
      turns: 2,
    })
    expect(asked()).toHaveLength(2)
    expect(listRuns(h.store)).toMatchObject([{ status: 'paused', spentUsd: 304 }])
  })

  test('says that a report is of an earlier turn, or that there is none', async () => {
    const silent = priced({ main: [{ toolCalls: [read], ...costs(1) }] }, { limits: { budgetUsd: 1 } })
    expect((await silent.h.run('go')).note).toBe(
      '$1.00 of $1.00 is spent; no text: the run was paused without writing any',
    )
    const main = [twoTurns[0]!, { toolCalls: [read], ...costs(1) }]
    const { h } = priced({ main }, { limits: { budgetUsd: 3 } })
    expect(await h.run('go')).toMatchObject({
      text: 'so far',
      note: '$3.00 of $3.00 is spent; partial: the text of turn 1',
    })
  })

  test('completes when no request is left to make', async () => {
    const { h } = priced({ main: [{ text: 'done', ...costs(9) }] }, { limits: { budgetUsd: 1 } })
    expect(await h.run('go')).toMatchObject({ status: 'completed', costUsd: 9 })
  })

  test.each([
    ['a run with tools', [{ toolCalls: [read], ...costs(1) }], 1],
    ['no text at all', [{ text: '', ...costs(1) }], 5],
  ])('makes no concluding request either: %s', async (_, main, maxTurns) => {
    const { h, asked } = priced({ main }, { limits: { budgetUsd: 1 } })
    expect(await h.run('go', { maxTurns })).toMatchObject({ status: 'paused', endReason: 'budget' })
    expect(asked()).toHaveLength(1)
    expect(h.store.find('messages', { where: { role: 'user' } })).toHaveLength(1)
  })

  test('of 0 makes no request', async () => {
    const { h, asked } = priced({ main: [{ text: 'hi' }] })
    const result = await h.run('go', { budgetUsd: 0 })
    expect(result).toMatchObject({ status: 'paused', reason: 'budget', turns: 0 })
    expect(result.note).toMatch(/^the next request may cost \$.*: \$0\.00 of \$0\.00 is spent; no text/)
    expect(asked()).toEqual([])
  })

  test('of 0 stops nothing that costs nothing, subagents neither', async () => {
    const explore = [{ toolCalls: [read] }, { text: 'found' }]
    const script = { main: [{ toolCalls: [task('explore')] }, { text: 'done' }], explore }
    const price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const { h, asked } = priced(script, { price })
    expect(await h.run('go', { budgetUsd: 0 })).toMatchObject({
      status: 'completed',
      text: 'done',
      costUsd: 0,
    })
    expect(asked()).toEqual(['main', 'explore', 'explore', 'main'])
  })

  test('goes on without a budget', async () => {
    const { h } = priced({ main: twoTurns }, { limits: { budgetUsd: null } })
    expect(await h.run('go')).toMatchObject({ status: 'completed', costUsd: 304 })
  })

  test('answers the call of a subagent in the foreground with the status and its id; its parent pauses next', async () => {
    const main = [{ text: 'I ask', toolCalls: [task('explore', { max_cost_usd: 1 })], ...costs(1) }]
    const explore = [{ text: 'half of it', toolCalls: [read], ...costs(1) }]
    const { h, asked } = priced({ main, explore }, { limits: { budgetUsd: 2 } })
    const result = await h.run('go')
    expect(result).toMatchObject({ status: 'paused', endReason: 'budget', text: 'I ask', costUsd: 2 })
    const [child] = result.subagents
    expect(child).toMatchObject({ status: 'paused', reason: 'budget', endReason: 'budget' })
    const [call] = h.store.find('tool_calls', { where: { tool: 'task' } })
    const answer = h.store.get('parts', call!.resultPartId!)!.part
    expect(answer).toMatchObject({ type: 'tool-result', status: 'completed' })
    const text = outputForModel((answer as ToolResultPart).output)
    for (const said of ['half of it', `task_id="${child!.branchId}"`, 'paused (budget)', '$2.00 of $2.00'])
      expect(text).toContain(said)
    expect(asked()).toEqual(['main', 'explore'])
  })

  test('starts no subagent: a call is refused with the figures, and so is a person', async () => {
    const main = [{ toolCalls: [task('explore')], ...costs(5) }]
    const { h, asked } = priced({ main }, { limits: { budgetUsd: 4.5 } })
    const { conversationId } = await h.run('go')
    const message = 'cannot start more subagents: $5.00 of $4.50 is spent in this conversation'
    expect(h.store.find('tool_calls', {})).toMatchObject([
      { status: 'failed', error: { code: 'budget', message } },
    ])
    await expect(h.spawn('look', { conversationId })).rejects.toMatchObject({ code: 'conflict', message })
    expect(asked()).toEqual(['main'])
  })

  test('does not repeat a failed request', async () => {
    const main = [
      { toolCalls: [task('explore', { run_in_background: true, max_cost_usd: 1 })], ...costs(1) },
      { error: { status: 429, retryAfter: 60 } },
    ]
    const explore = [{ text: 'found', delayMs: 5_000, ...costs(2) }]
    const { h, asked } = priced({ main, explore }, { limits: { budgetUsd: 3 } })
    expect(await h.run('go')).toMatchObject({ status: 'paused', endReason: 'budget' })
    expect(asked().toSorted()).toEqual(['explore', 'main', 'main'])
  })
})

describe('what a conversation has spent', () => {
  test('is known to a process that comes later, with each run counted once, whatever a fork shares', async () => {
    const limits = { budgetUsd: 5 }
    const { h } = priced({ main: [{ text: 'one', ...costs(2) }] }, { limits })
    const first = await h.run('go')
    const [answer] = h.store.find('messages', { where: { role: 'assistant' } })
    const later = priced(
      {
        main: [
          { text: 'two', ...costs(2) },
          { text: 'three', ...costs(2) },
        ],
      },
      { limits, store: h.store, laterMs: 60_000 },
    )
    const fork = await later.h.fork(answer!.id, 'another way')
    expect(await later.h.clock.until(fork.result)).toMatchObject({ status: 'completed', text: 'two' })
    const { conversationId } = first
    expect(await later.h.run('more', { conversationId })).toMatchObject({
      status: 'completed',
      text: 'three',
    })
    const last = priced({}, { limits, store: h.store, laterMs: 120_000 })
    expect(await last.h.run('more', { conversationId })).toMatchObject({
      status: 'paused',
      note: expect.stringContaining('$6.00 of $5.00'),
    })
    expect(last.asked()).toEqual([])
  })

  test('is that of all its tokens too, where a price is not known', async () => {
    const usage = { input: 4_000, output: 1_000, cacheRead: 3_000 }
    const main = [{ toolCalls: [read], usage }, { toolCalls: [read], usage }, { text: 'never said' }]
    const { h, asked } = priced({ main }, { limits: { maxTokens: 11_000, budgetUsd: 1 }, price: null })
    const result = await h.run('go')
    expect(result).toMatchObject({ status: 'paused', reason: 'budget', endReason: 'budget', costUsd: null })
    expect(result.note).toMatch(
      /^the next request may take 5,\d+ tokens, and 1,000 tokens were left when it paused: 10,000 of 11,000 tokens are used/,
    )
    expect(asked()).toHaveLength(2)
    expect(result.note).not.toContain('price')
    expect(listRuns(h.store)).toMatchObject([{ spentUsd: null }])
  })

  test('holds at the highest list price, where a price is not known', async () => {
    const usage = { input: 400, output: 100 }
    const main = [{ toolCalls: [read], usage }, { toolCalls: [read], usage }, { text: 'never said' }]
    const { h, asked } = priced({ main }, { limits: { budgetUsd: 0.01 }, price: null })
    const result = await h.run('go')
    expect(result).toMatchObject({ status: 'paused', reason: 'budget', endReason: 'budget', costUsd: null })
    expect(result.note).toMatch(
      /\$0\.01 of \$0\.01 is spent; the price of a model is unknown, so its tokens count at the highest list price: \$6\.25 per million of input, \$25\.00 of output/,
    )
    expect(asked()).toHaveLength(2) // 400 tokens in are $0.0025, 100 out are $0.0025
    expect(listRuns(h.store)).toMatchObject([{ spentUsd: null, budgetLeftUsd: null, budgetLeftTokens: 0 }])
  })

  test('of a model without a price is the same after a restart', async () => {
    const usage = { input: 400, output: 100 }
    const limits = { budgetUsd: 0.006 }
    const { h } = priced({ main: [{ text: 'one', usage }] }, { limits, price: null })
    const { conversationId } = await h.run('go')
    const later = priced({ main: [] }, { limits, price: null, store: h.store, laterMs: 60_000 })
    const again = await later.h.run('more', { conversationId })
    expect(again).toMatchObject({ status: 'paused', reason: 'budget' })
    expect(later.asked()).toEqual([])
  })
})

describe.each(stores)('a run that its budget has paused, in the %s store,', (_, open) => {
  test('goes on when there is more, and else pauses again without a request', async () => {
    const store = await open()
    const main = [
      { text: 'half', toolCalls: [read], ...costs(2) },
      { text: 'whole', ...costs(2) },
    ]
    const { h, asked } = priced({ main }, { store, limits: { budgetUsd: 1 } })
    const first = await h.run('go')
    const again = async (budgetUsd?: number) => {
      const { started } = await h.continue(first.conversationId, { budgetUsd })
      return await h.clock.until(started!.result)
    }
    const paused = { runId: first.runId, status: 'paused', reason: 'budget', text: 'half' }
    expect(await again()).toMatchObject({ ...paused, note: expect.stringContaining('$2.00 of $1.00') })
    expect(await again(1.5)).toMatchObject({ ...paused, note: expect.stringContaining('$2.00 of $1.50') })
    expect(asked()).toHaveLength(1)
    expect(await again(3)).toMatchObject({ runId: first.runId, status: 'completed', text: 'whole', turns: 2 })
    expect(await h.run('more', { conversationId: first.conversationId })).toMatchObject({ status: 'paused' })
    await store.close()
  })

  test('says that a report waits which it could not pay to read, and reads it when it goes on', async () => {
    const store = await open()
    const main = [
      { toolCalls: [task('explore', { run_in_background: true, max_cost_usd: 2 })] },
      { text: 'half', delayMs: 10_000, ...costs(9) },
      { text: 'read' },
    ]
    const { h, asked } = priced(
      { main, explore: [{ text: 'found', delayMs: 500 }] },
      { store, limits: { budgetUsd: 8 } },
    )
    const { conversationId, branchId } = await h.run('go')
    await h.clock.advance(10_000)
    const run = () => store.find('runs', { where: { branchId } }).at(-1)!
    expect(run()).toMatchObject({ status: 'paused', reason: 'budget' })
    expect(asked()).toEqual(['main', 'explore', 'main'])
    expect(listRuns(store)).toMatchObject([
      {
        statusLine: { detail: 'budget; 1 report waits to be read', verb: { name: 'continue', id: branchId } },
      },
    ])
    expect(leftBelow(store, run(), () => true)).toBe('1 report waits to be read')
    expect(runRows(store, conversationId, ({ id }) => id === run().id).rows).toMatchObject([
      { unreadReports: 1 },
    ])
    h.flush()
    const paused = h.told.filter(({ type }) => type === 'run.paused')
    expect(paused).toMatchObject([{ branchId, unreadReports: 1 }])
    const { started } = await h.continue(conversationId, { budgetUsd: 19 })
    expect(await h.clock.until(started!.result)).toMatchObject({ status: 'completed', text: 'read' })
    expect(unreadOf(store, run())).toEqual({ reports: 0, messages: 0 })
    await store.close()
  })

  test('goes on in the process that drives its conversation', async () => {
    const store = await open()
    const main = [
      { toolCalls: [task('explore', { run_in_background: true, max_cost_usd: 1 })] },
      { text: 'I wait', delayMs: 60_000 },
      { text: 'read' },
    ]
    const explore = [
      { text: 'half', delayMs: 500, toolCalls: [read], ...costs(2) },
      { text: 'whole', ...costs(1) },
    ]
    const { h } = priced({ main, explore }, { store, limits: { budgetUsd: 3 } })
    const started = await h.start('go')
    await h.clock.advance(1_000)
    const [child] = store.find('runs', { where: { agent: 'explore' } })
    expect(child).toMatchObject({ status: 'paused', reason: 'budget' })
    const args = { budgetUsd: 10 }
    await h.perform(started.conversationId, { verb: 'continue', target: child!.id, args })
    expect(await h.clock.until(started.result)).toMatchObject({ status: 'completed', text: 'read' })
    expect(store.get('runs', child!.id)).toMatchObject({ status: 'completed', costUsd: 3 })
    await store.close()
  })
})

describe('the caps of a run itself', () => {
  const explore = [{ text: 'half', toolCalls: [read], ...costs(2) }, { text: 'whole' }]
  const main = [{ toolCalls: [task('explore')] }, { text: 'read' }]
  const agents = (maxCostUsd: number) => [agent('main'), agent('explore', { maxCostUsd })]

  test('pause it alone; a definition that allows more lets it go on', async () => {
    const limits = { budgetUsd: 100 }
    const { h } = priced({ main, explore }, { agents: agents(1.5), limits })
    const result = await h.run('go')
    expect(result).toMatchObject({ status: 'completed', text: 'read' })
    const [child] = result.subagents
    expect(child).toMatchObject({
      status: 'paused',
      reason: 'budget',
      reportNote: '$2.00 of its own $1.50 is spent; partial: the text of turn 1',
    })
    const more = priced(
      { explore: [{ text: 'whole' }], main: [{ text: 'read again' }] },
      { agents: agents(9), store: h.store, laterMs: 60_000, limits },
    )
    const { started } = await more.h.continue(child!.branchId)
    await more.h.clock.until(started!.result)
    expect(h.store.get('runs', child!.id)).toMatchObject({ status: 'completed', limits: { maxCostUsd: 11 } })
  })

  test('are of money and tokens, whatever the conversation may spend', () => {
    const limits = { maxTurns: 1, maxTokens: 10, maxCostUsd: 0.015, timeoutMs: null, stallMs: 1 }
    const reached = (spent: Partial<StoredRun>, own: Partial<StoredRun> = {}) => {
      const run = storedRun(rowOf({ limits, ...own }))
      const budget = new Budget({ budgetUsd: null, maxTokens: 100 }, [])
      budget.attach(run)
      budget.spend(run.row, { usage: noUsage, costUsd: 0, ...spent })
      return budget.reached(run.row)
    }
    expect(reached({})).toBeUndefined()
    expect(reached({ costUsd: 0.0151 })).toEqual({
      why: 'budget',
      note: '$0.0151 of its own $0.015 is spent',
    })
    const usage = { ...noUsage, input: 8, cacheRead: 8, output: 2, reasoning: 2 }
    expect(reached({ usage })).toEqual({ why: 'max_tokens', note: '10 of its own 10 tokens are used' })
    const all = { usage: { ...noUsage, input: 100 }, costUsd: null }
    expect(reached(all)).toEqual({ why: 'budget', note: '100 of 100 tokens are used' })
  })
})

test('a run that waits for what requests of others hold says how much that is, and is not at the provider', async () => {
  const main = [{ text: 'one' }, { text: 'slow', delayMs: 10_000 }, { text: 'late' }]
  const { h } = priced({ main }, { limits: { budgetUsd: 1 } })
  const { conversationId } = await h.run('go')
  const [answer] = h.store.find('messages', { where: { role: 'assistant' } })
  const slow = await h.start('more', { conversationId })
  await h.clock.advance(1_000)
  const fork = await h.fork(answer!.id, 'another way')
  await h.clock.advance(1_000)
  const lines = listRuns(h.store).map(({ statusLine: { state, detail } }) => `${state}: ${detail}`)
  expect(lines).toEqual(['Running: Thinking', 'Waiting for budget: $1.00 is reserved by running requests'])
  await h.clock.until(slow.result)
  expect(await h.clock.until(fork.result)).toMatchObject({ status: 'completed', text: 'late' })
})

test('a request under way holds its worst case: nobody reserves or asks for that, and who needs it waits', async () => {
  const budget = new Budget({ budgetUsd: 2, maxTokens: 100 }, [])
  const [main, fork] = ['run_1', 'run_2'].map((id) => storedRun(rowOf({ id: id as StoredRun['id'] })))
  for (const run of [main!, fork!]) budget.attach(run)
  const estimate = { input: 0, maxOutput: 2, price: dollarsOut }
  const first = budget.ask(main!.row, { ...estimate, maxOutput: 1 })
  expect(budget.totals.usd).toEqual({ spent: 0, reserved: 1, free: 1 })
  expect(() => budget.reserve(null, { asked: { usd: 1.5 } })).toThrow(
    /max_cost_usd 1.5 is more than the \$1.00 that is left .*\$1.00 is held by a request of/,
  )
  const second = budget.ask(fork!.row, estimate)
  if (!('release' in first) || !('until' in second)) throw new Error('the second has to wait for the first')
  expect(second.held).toBe('$1.00 is reserved by running requests')
  const share = { maxCostUsd: 0.5, maxTokens: null }
  const row = rowOf({ id: 'run_3' as StoredRun['id'], limits: { ...main!.row.limits, ...share } })
  budget.attach({ row: { ...row, parentRunId: main!.row.id, depth: 1 }, grow: () => {}, watch: () => {} })
  const third = budget.ask(fork!.row, estimate)
  expect(third).toMatchObject({ held: '$1.50 is reserved by running requests and 1 subagent' })
  budget.forget('run_3' as StoredRun['id'])
  first.release()
  await second.until
  expect(budget.ask(fork!.row, estimate)).toEqual({ release: expect.any(Function) })
  expect(budget.ask(main!.row, estimate)).toHaveProperty('until')
})

describe('the caps that a call asks for', () => {
  const explore = [{ text: 'half', toolCalls: [read], ...costs(2) }, { text: 'whole' }]
  const usd = (max_cost_usd: number) => ({ max_cost_usd })
  const calling = (more: object, spent = 1): ScriptAnswer[] => [
    { toolCalls: [task('explore', more)], ...costs(spent) },
    { text: 'read' },
  ]
  const refusal = ({ store }: { store: Reader }) =>
    store.find('tool_calls', { where: { tool: 'task' } })[0]!.error

  test('pause the subagent, and the parent goes on', async () => {
    for (const [more, endReason] of [
      [usd(1.5), 'budget'],
      [{ max_tokens: 2 }, 'max_tokens'],
    ] as const) {
      const { h } = priced({ main: calling(more), explore })
      const { status, subagents } = await h.run('go')
      expect(status).toBe('completed')
      expect(subagents[0]).toMatchObject({ status: 'paused', endReason })
    }
  })

  test.each<[object, string]>([
    [usd(4), ''],
    [
      usd(4.000001),
      'max_cost_usd 4.000001 is more than the $4.00 that is left to this conversation: $1.00 of $5.00 is spent',
    ],
    [
      usd(9),
      'max_cost_usd 9 is more than the $4.00 that is left to this conversation: $1.00 of $5.00 is spent',
    ],
    [{ max_tokens: 9_999 }, ''],
    [
      { max_tokens: 10_000 },
      'max_tokens 10,000 is more than the 9,999 tokens that are left to this conversation: 1 of 10,000 tokens are used',
    ],
  ])('are no more than is left to the conversation: %j', async (more, why) => {
    const limits = { budgetUsd: 5, maxTokens: 10_000 }
    const { h } = priced({ main: calling(more), explore: [{ text: 'r' }] }, { limits })
    const { subagents } = await h.run('go')
    expect(subagents).toHaveLength(why ? 0 : 1)
    if (why) expect(refusal(h)).toEqual({ code: 'limit', message: why })
  })

  test('are no more than is left to the run that asks, which hands down no more than that either', async () => {
    const main = agent('main', { maxCostUsd: 3 })
    const outcome = async (more: object) => {
      const agents = [main, agent('explore')]
      const { h } = priced({ main: calling(more), explore: [{ text: 'r' }] }, { agents })
      const { subagents } = await h.clock.until((await h.start('go', { agent: main })).result)
      return subagents[0]?.limits.maxCostUsd ?? refusal(h)?.message
    }
    expect(await outcome(usd(2))).toBe(2)
    expect(await outcome(usd(2.5))).toBe(
      'max_cost_usd 2.5 is more than the $2.00 that is left to your own run: $1.00 of its own $3.00 is spent',
    )
    expect(await outcome({})).toBe(0.75) // it has grown to a quarter of the whole
  })

  test('are exact for sums that are not', () => {
    const budget = new Budget({ budgetUsd: 0.3, maxTokens: 9 }, [])
    const limits = { maxTurns: 1, maxTokens: null, maxCostUsd: 0.3, timeoutMs: null, stallMs: 1 }
    const run = storedRun(rowOf({ limits, costUsd: 0.1 }))
    budget.attach(run)
    expect(budget.reserve(run.row.id, { asked: { usd: 0.2 } }, run.row).maxCostUsd).toBe(0.2)
    expect(budget.left(run.row)).toEqual({ usd: 0.2, tokens: 9 })
  })

  test('are given again by a continue, or what that asks for instead, beyond what is spent', async () => {
    const limits = { budgetUsd: null }
    const { h } = priced({ main: calling(usd(1.5)), explore }, { limits })
    const { subagents, conversationId } = await h.run('go')
    const child = subagents[0]!
    const later = async (more: object, laterMs: number) => {
      const input = { prompt: 'go on', continue: child.branchId, ...more }
      const main = [{ toolCalls: [{ tool: 'task', input }] }, { text: 'end' }]
      const next = priced(
        { main, explore: [{ toolCalls: [read], text: 'more', ...costs(2) }] },
        { store: h.store, laterMs, limits },
      )
      await next.h.run('more', { conversationId })
      return h.store.get('runs', child.id)!
    }
    expect(await later({}, 60_000)).toMatchObject({
      status: 'paused',
      costUsd: 4,
      limits: { maxCostUsd: 3.5 },
    })
    expect(await later(usd(1), 120_000)).toMatchObject({ costUsd: 6, limits: { maxCostUsd: 5 } })
  })
})

describe.each(stores)('what is left, in the %s store,', (_, open) => {
  test('can be told by any process: as the one that drove the conversation last had it', async () => {
    const store = await open()
    const main = [{ text: 'one', ...costs(2) }]
    const { h } = priced({ main }, { store, limits: { budgetUsd: 5, maxTokens: 10_000 } })
    const { conversationId } = await h.run('go')
    const left = () => listRuns(store, { all: true }).map((run) => [run.budgetLeftUsd, run.budgetLeftTokens])
    expect(left()).toEqual([[3, 9_998]])
    const next = priced({ main }, { store, laterMs: 60_000, limits: { budgetUsd: null, maxTokens: 5_000 } })
    await next.h.run('more', { conversationId, budgetUsd: 3.5 })
    expect(left()).toEqual([
      [0, 4_996],
      [0, 4_996],
    ])
    const without = priced({ main }, { store, laterMs: 120_000, limits: { budgetUsd: null } })
    await without.h.run('more', { conversationId })
    expect(left()[0]).toEqual([null, 2_000_000 - 6])
    await store.close()
  })

  test('is what is left of its own cap, where that is less, and nothing where a price is not known', async () => {
    const store = await open()
    const main = agent('main', { maxCostUsd: 2.5 })
    const script = { main: [{ text: 'one', ...costs(2) }] }
    const capped = priced(script, { store })
    await capped.h.clock.until((await capped.h.start('go', { agent: main })).result)
    expect(listRuns(store, { all: true })).toMatchObject([{ budgetLeftUsd: 0.5 }])
    const unknown = priced(script, { store: await open(), price: null })
    await unknown.h.run('go')
    expect(listRuns(unknown.h.store, { all: true })).toMatchObject([{ budgetLeftUsd: null }])
    await store.close()
  })
})

const answers = (calls: fc.Arbitrary<object>) =>
  fc.array(
    fc.record({
      toolCalls: fc.array(calls, { maxLength: 3 }),
      text: fc.constant('text'),
      delayMs: fc.nat(5_000),
      usage: fc.record({ output: fc.integer({ min: 0, max: 10 }) }),
    }) as fc.Arbitrary<ScriptAnswer>,
    { minLength: 1, maxLength: 5 },
  )
const delegates = fc.boolean().map((run_in_background) => task('explore', { run_in_background }))

test('whatever is asked side by side: no request begins once the budget is spent', async () => {
  const scenario = fc.record({
    main: answers(fc.oneof(fc.constant(read), delegates)),
    explore: fc.array(answers(fc.constant(read)), { minLength: 1, maxLength: 3 }).map((each) => each.flat()),
    budgetUsd: fc.integer({ min: 1, max: 60 }),
  })
  const property = fc.asyncProperty(scenario, async ({ main, explore, budgetUsd }) => {
    const spentAtStart: number[] = []
    const onRequest = () => void spentAtStart.push(spentOf(h.store))
    const { h } = priced({ main, explore }, { limits: { budgetUsd, maxConcurrent: 3 }, onRequest })
    await h.run('go')
    for (const spent of spentAtStart) expect(spent).toBeLessThan(budgetUsd)
    // three subagents and the main run, each with a request that costs $9 more than it may
    expect(spentOf(h.store)).toBeLessThanOrEqual(budgetUsd + 4 * 9)
  })
  await fc.assert(property, { numRuns: 60 })
})
