import { describe, expect, it } from 'vitest'
import type { Mechanism } from '../../support/faults.ts'
import { ScriptedTree, task, type Actors, type Document, type Seen } from '../../support/scripted-tree.ts'

const CHILDREN = 20
const BUDGET_USD = 0.5
const AT_A_TIME = 4
/** Of the default model. US dollars a token. */
const [INPUT_USD, OUTPUT_USD] = [2e-6, 10e-6]
/** What the provider counts as the input of each request; it may be estimated at nothing. */
const INPUT = 3_000
const ERROR_USD = INPUT * INPUT_USD * 1.25

describe('P4: the budget of a tree', () => {
  it('is exceeded by no more than the error of one estimate for each request in flight', async () => {
    expect(await spends()).toEqual([])
  })

  it('fails without the check before each request: requests begin that it cannot pay for', async () => {
    expect(await spends('request-check')).toEqual([
      expect.stringMatching(/^\$(0\.[6-9]\d*|[1-9]\d*(\.\d+)?) of \$0\.5 is spent$/),
    ])
  })

  it('is reserved before a spawn: what others hold is waited for, and what it can never hold is refused with the figures', async () => {
    expect(await reserves()).toEqual([])
  })

  it('fails without reservation: more work than there is money for, whatever they were promised', async () => {
    expect(await reserves('reservation')).toEqual([
      expect.stringMatching(/^([4-9]|\d\d) subagents at work were promised \$0\.2 each of \$0\.5$/),
    ])
  })
})

it('P4: turns, tokens, money and time of one subagent are capped, and its stop says by what', async () => {
  const lists = {
    toolCalls: [{ tool: 'list', input: {} }],
    usage: { input_tokens: INPUT, output_tokens: 100 },
  }
  const caps = {
    turns: { max_turns: 2 },
    tokens: { max_tokens: 20_000 },
    money: { max_cost_usd: 0.03 },
    time: { timeout_ms: 300 },
  }
  await using tree = await ScriptedTree.open(
    {
      'Go.': [{ toolCalls: Object.entries(caps).map(([name, cap]) => task(name, cap)) }, { text: 'Done.' }],
      'Do turns.': [lists],
      'Do tokens.': [lists],
      'Do money.': [lists],
      'Do time.': ['never'],
    },
    { config: { limits: { maxIdenticalCalls: 50 } } },
  )
  const { subagents } = await tree.run()
  expect(subagents.map(({ description, status, end_reason }) => [description, status, end_reason])).toEqual([
    ['turns', 'paused', 'max_turns'],
    ['tokens', 'paused', 'max_tokens'],
    ['money', 'paused', 'budget'],
    ['time', 'paused', 'timeout'],
  ])
  expect(tree.of('Do turns.')).toHaveLength(3) // the last is the conclusion, without tools
})

/** Every subagent would write $0.20 worth twice, if it were let. */
async function spends(off?: Mechanism): Promise<string[]> {
  let countedUsd = 0
  const counted = ({ maxTokens }: Seen) => {
    const usage = { input_tokens: INPUT, output_tokens: Math.min(20_000, maxTokens) }
    countedUsd += usage.input_tokens * INPUT_USD + usage.output_tokens * OUTPUT_USD
    return usage
  }
  const child: Actors[string] = [
    (seen) => ({ toolCalls: [{ tool: 'list', input: {} }], usage: counted(seen) }),
    (seen) => ({ text: 'Found.', usage: counted(seen) }),
  ]
  const document = await fanOut(child, {}, off)
  const spentUsd = document.cost_usd
  // the main agent's own requests are counted as nothing
  expect(spentUsd).toBeCloseTo(countedUsd, 6)
  expect(document.subagents.reduce((sum, { cost_usd }) => sum + cost_usd, 0)).toBeCloseTo(countedUsd, 6)
  const most = BUDGET_USD + (AT_A_TIME + 1) * ERROR_USD
  return spentUsd > most ? [`$${spentUsd} of $${BUDGET_USD} is spent`] : []
}

async function reserves(off?: Mechanism): Promise<string[]> {
  const usage = { input_tokens: INPUT, output_tokens: 100 }
  const child: Actors[string] = [
    { toolCalls: [{ tool: 'list', input: {} }], usage },
    { text: 'Found.', usage },
  ]
  const capUsd = 0.2
  let told = ''
  const caps = (n: number) => ({ max_cost_usd: n === 0 ? 0.6 : capUsd })
  const { subagents } = await fanOut(child, caps, off, ({ whole }) => (told = whole))
  const atWork = Math.max(
    ...subagents.map((each) => subagents.filter((other) => overlap(each, other)).length),
  )
  if (atWork * capUsd > BUDGET_USD)
    return [`${atWork} subagents at work were promised $${capUsd} each of $${BUDGET_USD}`]
  expect(subagents.map(({ status }) => status)).toEqual(
    Array.from({ length: CHILDREN - 1 }, () => 'completed'),
  )
  expect(told).toMatch(
    /max_cost_usd 0\.6 is more than the \$0\.\d+ that is left to this conversation: \$\d\S* of \$0\.50 is spent/,
  )
  return []
}

type Times = Pick<Document['subagents'][number], 'started_at' | 'ended_at'>

/** Whether one of them had begun, and had not ended, when the other began. */
function overlap({ started_at }: Times, other: Times): boolean {
  return other.started_at <= started_at && started_at < other.ended_at
}

async function fanOut(
  child: Actors[string],
  caps: object | ((n: number) => object),
  off?: Mechanism,
  onReports: (seen: Seen) => void = () => {},
): Promise<Document> {
  const none = { input_tokens: 0, output_tokens: 0 }
  const calls = Array.from({ length: CHILDREN }, (_, n) =>
    task(`${n}`, typeof caps === 'function' ? caps(n) : caps),
  )
  const end = (seen: Seen) => (onReports(seen), { text: 'Done.', usage: none })
  const config = { limits: { maxConcurrent: AT_A_TIME, maxSpawns: CHILDREN, budgetUsd: BUDGET_USD } }
  const main = [{ toolCalls: calls, usage: none }, end]
  await using tree = await ScriptedTree.open({ 'Go.': main, 'Do ': child }, { config, off })
  return await tree.run()
}
