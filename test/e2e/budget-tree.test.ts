import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/exec/system-clock.ts'
import { createFetch } from '../../src/model/fetch.ts'
import { createResolver } from '../../src/model/resolve.ts'
import type { HandClock } from '../../src/testing/hand-clock.ts'
import { providerEnvironment, startModelServer, type ModelServer } from '../support/model-server.ts'
import { agent, harness, tool } from '../support/runtime-harness.ts'

const CHILDREN = 20
const BUDGET_USD = 0.5
const AT_A_TIME = 4
/** What the provider counts of each request of a subagent, at $2 and $10 per million. */
const usage = { input_tokens: 3_000, output_tokens: 1_500 }
const REQUEST_USD = 0.021
/** The subagents' prompts are estimated at less than what the provider counts. */
const ERROR_USD = 3_000 * 2.5e-6

const asHandClock: HandClock = {
  ...systemClock,
  settle: async () => {},
  advance: async () => {},
  until: (promise) => promise,
  pending: () => 0,
}

let server: ModelServer

beforeEach(async () => {
  server = await startModelServer()
})

afterEach(() => server.close())

/** Twenty subagents of two requests each, which would cost $0.84. */
async function tree(more: object) {
  const resolve = createResolver({
    env: providerEnvironment('anthropic', server.url),
    fetch: createFetch(),
    clock: systemClock,
  })
  const h = harness({
    clock: asHandClock,
    resolveModel: () => resolve('anthropic/claude-sonnet-5'),
    agents: [agent('main'), agent('explore')],
    tools: [tool('read')],
    config: { limits: { maxConcurrent: AT_A_TIME, maxSpawns: CHILDREN, budgetUsd: BUDGET_USD } },
  })
  const input = { prompt: 'look', subagent_type: 'explore', ...more }
  const isMain = (request: unknown) => JSON.stringify(request).includes('You are main.')
  const hasResults = (request: unknown) => JSON.stringify(request).includes('"role":"tool"')
  server.answer(
    {
      match: (request) => isMain(request) && !hasResults(request),
      toolCalls: Array.from({ length: CHILDREN }, () => ({ tool: 'task', input })),
      usage: { input_tokens: 10, output_tokens: 10 },
    },
    { match: isMain, always: true, text: 'done', usage: { input_tokens: 10, output_tokens: 10 } },
    {
      match: (request) => !hasResults(request),
      always: true,
      toolCalls: [{ tool: 'read', input: {} }],
      usage,
    },
    { always: true, text: 'found', usage },
  )
  const { result } = await h.start('Go.')
  await result
  const runs = h.store.find('runs', {})
  const children = runs.filter(({ depth }) => depth === 1)
  const spentUsd = runs.reduce((sum, { costUsd }) => sum + costUsd!, 0)
  const refusals = h.store.find('tool_calls', { where: { tool: 'task' } }).flatMap(({ error }) => error ?? [])
  return { children, spentUsd, refusals }
}

describe('a budget of $0.50 over a tree of 20 subagents', () => {
  it('is exceeded by no more than the error of one estimate for each request in flight', async () => {
    const { children, spentUsd } = await tree({})
    expect(spentUsd).toBeLessThanOrEqual(BUDGET_USD + (AT_A_TIME + 1) * ERROR_USD)
    expect(spentUsd).toBeGreaterThan(0.9 * BUDGET_USD - REQUEST_USD)
    const paused = children.filter(({ status }) => status === 'paused')
    expect(paused.length).toBeGreaterThan(0)
    for (const { reason, reportNote } of paused) {
      expect(reason).toBe('budget')
      expect(reportNote).toMatch(
        /\$0\.\d+ (?:was left when it paused: \$0\.\d+ )?of (?:its own )?\$0\.\d+ is spent/,
      )
    }
  })

  it('lets those wait whose amount others hold, and pauses with the figures those for which nothing is left', async () => {
    const { children, spentUsd, refusals } = await tree({ max_cost_usd: 0.06 })
    expect([children.length, refusals]).toEqual([CHILDREN, []])
    expect(spentUsd).toBeLessThanOrEqual(BUDGET_USD + AT_A_TIME * ERROR_USD)
    expect(spentUsd).toBeGreaterThan(0.9 * BUDGET_USD)
    expect(children.filter(({ status }) => status === 'completed').length).toBeGreaterThan(8)
    for (const { status, reportNote } of children)
      if (status !== 'completed')
        expect(reportNote).toMatch(/\$0\.\d+ (?:is left: \$0\.\d+ )?of (?:its own )?\$0\.\d+ is spent/)
  })

  it('refuses what can never fit, with what was asked, what can be left, and the whole', async () => {
    const { children, refusals } = await tree({ max_cost_usd: 0.6 })
    expect(children).toEqual([])
    expect(refusals).toHaveLength(CHILDREN)
    for (const { code, message } of refusals) {
      expect(code).toBe('limit')
      expect(message).toBe(
        'max_cost_usd 0.6 is more than the $0.49988 that is left to this conversation: $0.00012 of $0.50 is spent',
      )
    }
  })
})
