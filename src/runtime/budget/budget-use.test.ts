import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  agent,
  called,
  handClock,
  harness,
  rawModel,
  said,
  streamOf,
} from '../../../test/support/runtime-harness.ts'
import { sleep } from '../../core/clock.ts'
import { ignoreLateRejection } from '../../core/rejections.ts'
import { callsOf, textOf } from '../../core/message.ts'
import type { StoredRun } from '../../core/run.ts'
import { isStopped } from '../../core/run-status.ts'
import { estimateTokens } from '../../core/tokens.ts'
import type { ModelRequest, Price } from '../../model/port.ts'
import { Accounts } from './accounts.ts'
import { BudgetWaits } from './budget-waits.ts'
import { Ledger } from './ledger.ts'

/** What the model does at one request: it spawns, or reads something, takes its time, and would write so much. */
interface Act {
  readonly spawns: readonly { readonly background: boolean; readonly part: number | undefined }[]
  readonly reads: boolean
  readonly delayMs: number
  readonly output: number
}

interface Tree {
  readonly acts: readonly Act[]
  readonly unit: 'usd' | 'tokens'
  /** In tokens, of output. */
  readonly cap: number
  readonly slots: number
  readonly maxOutput: number
  /** Tokens of what each subagent is told. */
  readonly input: number
  readonly requests: number
  /** Whether the main agent does anything but spawn, and end. */
  readonly mainWorks: boolean
}

const trees = fc.record<Tree>({
  acts: fc.array(
    fc.record<Act>({
      spawns: fc.array(
        fc.record({
          background: fc.boolean(),
          part: fc.option(fc.double({ min: 0.05, max: 1.1, noNaN: true }), { nil: undefined, freq: 3 }),
        }),
        { maxLength: 3 },
      ),
      reads: fc.boolean(),
      delayMs: fc.nat(2_000),
      output: fc.oneof(fc.nat(800), fc.nat(40_000)),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  unit: fc.constantFrom('usd' as const, 'tokens' as const),
  cap: fc.oneof(
    fc.constant(12_000),
    fc.integer({ min: 3_000, max: 40_000 }),
    fc.integer({ min: 40_000, max: 600_000 }),
  ),
  slots: fc.integer({ min: 1, max: 8 }),
  maxOutput: fc.constantFrom(1_000, 8_000, 32_000),
  input: fc.constantFrom(50, 600, 2_500),
  requests: fc.integer({ min: 1, max: 60 }),
  mainWorks: fc.boolean(),
})

const USD_PER_TOKEN = 1e-5
/** Seconds in which every tree has come to its end. */
const STEPS = 300

interface Seen {
  /** What was wrong, in words. */
  readonly wrong: readonly string[]
  readonly unused: number
  readonly runs: readonly StoredRun[]
}

/** Plays a tree to its end. The model writes as much as it likes up to the maximum that it is given, and is cut there. */
async function play({ acts, unit, cap, slots, maxOutput, input, requests, mainWorks }: Tree): Promise<Seen> {
  const clock = handClock()
  const isMoney = unit === 'usd'
  const price: Price = { input: isMoney ? 2 : 0, output: isMoney ? 10 : 0, cacheRead: 0, cacheWrite: 0 }
  const costs = (tokensIn: number, tokensOut: number) => tokensIn * (isMoney ? 0.2 : 1) + tokensOut
  const wrong: string[] = []
  let spent = 0
  let underWay = 0
  const check = (when: string) => {
    if (spent + underWay > cap + 0.01)
      wrong.push(`${when}: ${spent} spent and ${underWay} under way of ${cap}`)
  }
  const model = rawModel(
    async (n, request) => {
      const { spawns, reads, delayMs, output } = acts[n % acts.length]!
      const tokensIn = inputOf(request)
      const most = request.maxOutputTokens ?? maxOutput
      underWay += costs(tokensIn, most)
      check(`request ${n}`)
      const isIdle = request.depth === 0 && n > 0 && !mainWorks
      const isLast = request.toolChoice === 'none' || n >= requests || isIdle
      const calls = isLast ? [] : [...spawns.map(task(isMoney, cap)), ...(reads ? [reading(n)] : [])]
      await sleep(clock, delayMs)
      const least = 10 + estimateTokens(JSON.stringify(calls).length)
      const written = Math.min(most, Math.max(least, output))
      const isCut = Math.min(output, maxOutput) > most
      underWay -= costs(tokensIn, most)
      spent += costs(tokensIn, written)
      check(`answer ${n}`)
      return streamOf([...said(`answer ${n}`), ...(isCut ? [] : calls), ended(tokensIn, written, isCut)])
    },
    { maxOutput, price },
  )
  const limits = {
    maxDepth: 3,
    maxConcurrent: slots,
    maxSpawns: 20,
    maxTurns: 60,
    maxTurnsSubagent: 60,
    maxIdenticalCalls: 50,
    ...(isMoney
      ? {
          budgetUsd: cap * USD_PER_TOKEN,
          maxTokens: 1e9,
        }
      : {
          budgetUsd: null,
          maxTokens: cap,
        }),
  }
  const general = agent('general', { spawns: ['general'], prompt: 'x'.repeat(4 * input) })
  const h = harness({ clock, model, agents: [agent('main'), general], config: { limits } })
  ignoreLateRejection((await h.start('go')).result)
  const isOpen = () => h.store.find('runs', {}).some(({ status }) => !isStopped(status))
  for (let n = 0; n < STEPS && isOpen(); n++) await clock.advance(1_000)
  const runs = h.store.find('runs', {})
  for (const { agent, status, reason } of runs)
    if (!isStopped(status)) wrong.push(`${agent} is still ${status} (${reason})`)
  for (const { error } of h.store.find('tool_calls', { where: { tool: 'task' } }))
    if (error && (error.code === 'budget' || error.code === 'limit') && !FIGURES.test(error.message))
      wrong.push(`no figures: ${error.message}`)
  return { wrong: [...wrong, ...idle(runs, { isMoney, cap, spent })], unused: 1 - spent / cap, runs }
}

const FIGURES = /\d.* of (?:its own )?\$?\d/

/**
 * Runs that have to pause for want of a cap of which too much is left: more than a tenth, and more than the smallest request
 * needs that the run could make.
 */
function idle(
  runs: readonly StoredRun[],
  { isMoney, cap, spent }: { isMoney: boolean; cap: number; spent: number },
) {
  const isShare = (run: StoredRun): boolean => {
    if (run.depth === 0) return true
    const { growsTo } = run.limits
    const grows = isMoney ? growsTo?.maxCostUsd : growsTo?.maxTokens
    const above = runs.find(({ id }) => id === run.parentRunId)!
    return (grows ?? null) !== null && isShare(above)
  }
  const unused = cap - spent
  const waits = runs.filter((run) => run.endReason === 'budget' && isShare(run))
  return waits.flatMap(({ agent, depth, reportNote }) => {
    const [, usd, tokens] =
      /the next request may (?:cost \$([\d.]+)|take ([\d,]+) tokens)/.exec(reportNote ?? '') ?? []
    const needs = usd === undefined ? Number(tokens?.replaceAll(',', '') ?? 0) : Number(usd) / USD_PER_TOKEN
    const isIdle = unused > Math.max(0.1 * cap, needs) + 1
    return isIdle ? [`${agent} at depth ${depth} waits with ${unused} unused of ${cap}: ${reportNote}`] : []
  })
}

/** No more than is estimated: what stands for tools is left out. */
function inputOf({ messages }: Pick<ModelRequest, 'messages'>): number {
  const chars = messages.map(
    ({ parts }) =>
      textOf(parts).length + callsOf(parts).reduce((sum, { input }) => sum + JSON.stringify(input).length, 0),
  )
  return Math.max(1, Math.floor(chars.reduce((sum, each) => sum + each, 0) / 4))
}

const task =
  (isMoney: boolean, cap: number) =>
  ({ background, part }: Act['spawns'][number], at: number) => {
    const asked =
      part === undefined
        ? {}
        : isMoney
          ? { max_cost_usd: part * cap * USD_PER_TOKEN }
          : { max_tokens: Math.ceil(part * cap) }
    return {
      ...called('task', JSON.stringify({ prompt: 'do it', run_in_background: background, ...asked })),
      toolCallId: `c${at}`,
    }
  }

const reading = (n: number) => ({ ...called('task_status', JSON.stringify({ n })), toolCallId: 'r' })

const ended = (input: number, output: number, isCut: boolean) => ({
  type: 'finish',
  finishReason: isCut ? { unified: 'length', raw: 'length' } : { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  },
})

test('no cap is exceeded, at most a tenth stays unused while work waits, and all ends', async () => {
  const property = fc.asyncProperty(trees, async (tree) => {
    expect((await play(tree)).wrong).toEqual([])
  })
  await fc.assert(property, { numRuns: 100 })
}, 240_000)

describe('the same', () => {
  /** Three subagents that go on for long, and one that asks for more than there is. */
  const spawns = [undefined, undefined, undefined, 1.1].map((part) => ({ background: true, part }))
  const reads = { spawns: [], reads: true, delayMs: 300, output: 700 }
  const busy: Tree = {
    unit: 'tokens',
    cap: 1e5,
    slots: 4,
    maxOutput: 32e3,
    input: 2e3,
    requests: 60,
    mainWorks: false,
    acts: [
      {
        ...reads,
        spawns,
        reads: false,
      },
      ...Array.from({ length: 59 }, () => reads),
    ],
  }
  const wrong = async (what: RegExp) => (await play(busy)).wrong.filter((each) => what.test(each))

  afterEach(() => void vi.restoreAllMocks())

  test('is true of three subagents that go on for long', async () => {
    const { wrong, unused } = await play(busy)
    expect(wrong).toEqual([])
    expect(unused).toBeLessThan(0.1)
  })

  test.each([
    [200, 700],
    [400, 700],
    [900, 300],
  ])('is true of a small cap too, with requests of %d tokens and answers of %d', async (input, output) => {
    const acts = busy.acts.map((act) =>
      act.reads ? { ...act, output } : { ...act, spawns: spawns.slice(0, 3), output },
    )
    const { wrong, unused } = await play({ ...busy, cap: 12_000, input, acts })
    expect(wrong).toEqual([])
    expect(unused).toBeLessThan(0.1)
  })

  test('is noticed where a request holds nothing', async () => {
    vi.spyOn(Ledger.prototype, 'hold').mockImplementation(() => {})
    expect(await wrong(/^(request|answer) \d+: \d+ spent and \d+ under way of 100000$/)).not.toEqual([])
  })

  test('is noticed where no share outgrows its quarter', async () => {
    const { room } = Ledger.prototype
    vi.spyOn(Ledger.prototype, 'room').mockImplementation(function (this: Ledger, id) {
      return room.call(this, id)
    })
    expect(await wrong(/waits with \d+ unused of 100000/)).not.toEqual([])
  })

  test('is noticed where nobody is told of a change', async () => {
    vi.spyOn(BudgetWaits.prototype, 'enter').mockImplementation(() => new Promise(() => {}))
    expect(await wrong(/is still waiting/)).not.toEqual([])
  })

  test('is noticed where a refusal has no figures', async () => {
    vi.spyOn(Accounts.prototype, 'figures').mockReturnValue('')
    expect(await wrong(/^no figures: max_tokens 110,\d+ is more/)).not.toEqual([])
  })
})
