import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  agent,
  called,
  handClock,
  harness,
  rawModel,
  said,
  streamOf,
  type HarnessOptions,
} from '../../../test/support/runtime-harness.ts'
import { beginsAfterMs, cutStore, type CutStore } from '../../../test/support/cut-store.ts'
import { sleep } from '../../core/clock.ts'
import { bestEffort } from '../../core/rejections.ts'
import type { Price } from '../../model/port.ts'
import type { Reader } from '../../store/port.ts'
import { Budget } from './budget.ts'

/** What the model does at one request: it spawns, takes its time, and writes so much. */
interface Act {
  readonly spawns: readonly { readonly background: boolean; readonly usd: number | undefined }[]
  readonly delayMs: number
  readonly output: number
}

interface Tree {
  readonly acts: readonly Act[]
  readonly priceOut: number
  readonly budgetUsd: number
  readonly stop: { readonly verb: 'pause' | 'interrupt' | 'cancel'; readonly afterMs: number } | undefined
  readonly cut: number
}

const acts = fc.array(
  fc.record<Act>({
    spawns: fc.array(
      fc.record({
        background: fc.boolean(),
        usd: fc.option(fc.double({ min: 0.01, max: 1, noNaN: true }), { nil: undefined }),
      }),
      { maxLength: 3 },
    ),
    delayMs: fc.nat(2_000),
    output: fc.nat(6_000),
  }),
  { minLength: 1, maxLength: 12 },
)

const trees = fc.record<Tree>({
  acts,
  priceOut: fc.integer({ min: 1, max: 200 }),
  budgetUsd: fc.double({ min: 0.05, max: 2, noNaN: true }),
  stop: fc.option(
    fc.record({
      verb: fc.constantFrom('pause' as const, 'interrupt' as const, 'cancel' as const),
      afterMs: fc.nat(4_000),
    }),
    { nil: undefined },
  ),
  cut: fc.nat(1_000),
})

const LIMITS = { maxDepth: 3, maxConcurrent: 2, maxSpawns: 30, maxTokens: 10_000_000 }
const AGENTS = [agent('main'), agent('general', { spawns: ['general'] })]

/** A model that never writes more than it may, so that no estimate errs: its input costs nothing. */
function runtimeOf({ acts, priceOut, budgetUsd }: Tree, store: CutStore, laterMs = 0) {
  const clock = handClock(laterMs)
  const price: Price = { input: 0, output: priceOut, cacheRead: 0, cacheWrite: 0 }
  let charged = 0
  const model = rawModel(
    async (n, { maxOutputTokens = 5_000, toolChoice, signal }) => {
      const { spawns, delayMs, output } = acts[n % acts.length]!
      await sleep(clock, delayMs)
      const written = Math.min(output, maxOutputTokens)
      if (!signal.aborted) charged += (written * priceOut) / 1_000_000
      const calls = toolChoice === 'none' || n > 40 ? [] : spawns
      return streamOf([
        ...said(`answer ${n}`),
        ...calls.map(({ background, usd }, at) => ({
          ...called(
            'task',
            JSON.stringify({
              prompt: 'do it',
              run_in_background: background,
              ...(usd === undefined ? {} : { max_cost_usd: usd }),
            }),
          ),
          toolCallId: `c${at}`,
        })),
        ended(written),
      ])
    },
    { maxOutput: 5_000, price },
  )
  const config = { limits: { ...LIMITS, budgetUsd } }
  const options: HarnessOptions = { store, clock, model, agents: AGENTS, config }
  return { h: harness(options), charged: () => charged }
}

const ended = (output: number) => ({
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  },
})

/** Checks invariants B1 and B2 on the rows of a store. */
function expectWithin(store: Reader, budgetUsd: number): number {
  const rows = store.find('runs', {})
  const { usd } = new Budget({ budgetUsd, maxTokens: LIMITS.maxTokens }, rows).totals
  const spent = rows.reduce((sum, run) => sum + (run.costUsd ?? 0), 0)
  expect(usd.spent).toBeCloseTo(spent, 9)
  expect(spent + usd.reserved).toBeLessThanOrEqual(budgetUsd + 1e-6)
  return spent
}

test('B1, B2: no tree spends or reserves more than its budget, whatever stops, goes on or crashes', async () => {
  const property = fc.asyncProperty(trees, async (tree) => {
    const store = cutStore()
    const { h, charged } = runtimeOf(tree, store)
    const started = await h.start('go')
    if (tree.stop) {
      await h.clock.advance(tree.stop.afterMs)
      const { verb } = tree.stop
      const command = { verb, target: started.conversationId, args: null } as const
      await bestEffort(h.perform(started.conversationId, command)) // it may be over by now
    }
    await h.clock.until(started.result)
    const before = expectWithin(store, tree.budgetUsd)
    expect(before).toBeCloseTo(charged(), 6)
    for (const { branchId } of store.find('runs', { where: { status: 'paused' } })) {
      const again = await h.continue(branchId).catch(() => undefined) // nothing may be left for it
      if (again?.started) await h.clock.until(again.started.result)
      expectWithin(store, tree.budgetUsd)
    }
    expect(expectWithin(store, tree.budgetUsd)).toBeCloseTo(charged(), 6)
    const crashed = await store.cut(tree.cut % (store.commits + 1))
    expectWithin(crashed, tree.budgetUsd)
    const later = runtimeOf(tree, crashed, beginsAfterMs(store))
    await later.h.recover()
    expectWithin(crashed, tree.budgetUsd)
  })
  await fc.assert(property, { numRuns: 60 })
}, 120_000)
