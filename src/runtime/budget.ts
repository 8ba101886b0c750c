import type { ConversationBudget } from '../core/conversation.ts'
import type { ConversationId } from '../core/ids.ts'
import type { Limits } from '../core/limits.ts'
import type { Run } from '../core/run.ts'
import type { Usage } from '../core/usage.ts'
import type { Reached } from '../loop/ports.ts'
import { ToolError } from '../tools/port.ts'
import type { Change } from './recorder.ts'

/** What one or more requests came to. */
type Figures = Pick<Run, 'usage' | 'costUsd'>
type Capped = Figures & Pick<Run, 'limits'>

/** US dollars and tokens; null: without a cap. */
export interface Rest {
  readonly usd: number | null
  readonly tokens: number | null
}

/** What a run may still spend by its own caps. */
export function restOf({ limits, usage, costUsd }: Capped): Rest {
  const { maxCostUsd, maxTokens } = limits
  return {
    usd: maxCostUsd === null ? null : leftUsd(maxCostUsd, costUsd ?? 0),
    tokens: maxTokens === null ? null : Math.max(0, maxTokens - tokensOf(usage)),
  }
}

/** Never less than nothing, since a request may cost more than was left. Sums of dollars are not exact. */
function leftUsd(cap: number, spent: number): number {
  return Math.max(0, Number((cap - spent).toFixed(9)))
}

/** The smaller of two caps. */
export function least(a: number | null | undefined, b: number | null | undefined): number | null {
  return a === null || a === undefined ? (b ?? null) : Math.min(a, b ?? a)
}

/**
 * What a conversation has spent and may spend: every run counts once, so what a fork shares with another branch counts
 * once too (B2). Read from the rows at first, then kept as answers come. What has no known price adds no money: of that
 * the tokens are capped.
 */
export class Budget {
  readonly #maxTokens: number
  #budgetUsd: number | null
  #spentUsd = 0
  /** Whether all that was spent has a known price. */
  #isPriced = true
  #tokens = 0

  /** `runs`: every run that the conversation has had so far. */
  constructor({ budgetUsd, maxTokens }: Pick<Limits, 'budgetUsd' | 'maxTokens'>, runs: readonly Figures[]) {
    this.#budgetUsd = budgetUsd
    this.#maxTokens = maxTokens
    for (const run of runs) this.spend(run)
  }

  /** In the place of what the configuration allows, for as long as this process drives the conversation. */
  allow(budgetUsd: number): void {
    this.#budgetUsd = budgetUsd
  }

  spend({ usage, costUsd }: Figures): void {
    this.#spentUsd += costUsd ?? 0
    this.#isPriced &&= costUsd !== null
    this.#tokens += tokensOf(usage)
  }

  /** Why a run may make no further request: its conversation has spent what it may, or it has itself. */
  reached(run: Capped): Reached | undefined {
    const shared = this.#ofConversation()
    return shared ? { why: 'budget', note: shared } : reachedItself(run)
  }

  /**
   * `by`: the run that asks for it. @throws ToolError `budget`: a run that could make no request is not started.
   */
  checkSpawn(by?: Capped): void {
    const shared = this.#ofConversation()
    const reached = shared ? `${shared} in this conversation` : by && reachedItself(by)?.note
    if (reached) throw new ToolError('budget', `no subagent is started any more: ${reached}`)
  }

  /** @throws ToolError `limit`, with the figures: more is asked for than is left to the run that asks, or to all. */
  checkCaps({ max_cost_usd, max_tokens }: Asked, by: Capped): void {
    const { limits, usage, costUsd } = by
    const { maxCostUsd, maxTokens } = limits
    refuseMoney(max_cost_usd, costUsd ?? 0, maxCostUsd, 'your own run')
    refuseMoney(max_cost_usd, this.#spentUsd, this.#budgetUsd, 'this conversation')
    refuseTokens(max_tokens, tokensOf(usage), maxTokens, 'your own run')
    refuseTokens(max_tokens, this.#tokens, this.#maxTokens, 'this conversation')
  }

  /** What a run may still spend, by its own caps and by those of all. No money can be told of what has no known price. */
  left(run: Capped): Rest {
    const own = restOf(run)
    const shared = this.#budgetUsd === null ? null : leftUsd(this.#budgetUsd, this.#spentUsd)
    return {
      usd: this.#isPriced ? least(own.usd, shared) : null,
      tokens: least(own.tokens, Math.max(0, this.#maxTokens - this.#tokens)),
    }
  }

  /** Keeps with the conversation what it may spend, so that any process can say what is left. */
  store({ tx }: Pick<Change, 'tx'>, id: ConversationId): void {
    const budget: ConversationBudget = { usd: this.#budgetUsd, tokens: this.#maxTokens }
    const known = tx.get('conversations', id)?.budget
    if (known?.usd !== budget.usd || known.tokens !== budget.tokens)
      tx.update('conversations', id, { budget })
  }

  #ofConversation(): string | undefined {
    return moneyReached(this.#spentUsd, this.#budgetUsd) ?? tokensReached(this.#tokens, this.#maxTokens)
  }
}

interface Asked {
  readonly max_cost_usd?: number | undefined
  readonly max_tokens?: number | undefined
}

function refuseMoney(asked: number | undefined, spent: number, cap: number | null, whose: string): void {
  if (asked === undefined || cap === null || asked <= leftUsd(cap, spent)) return
  const left = dollars(leftUsd(cap, spent))
  const figures = `${dollars(spent)} of ${dollars(cap)} are spent`
  throw new ToolError(
    'limit',
    `max_cost_usd ${asked} is more than the ${left} that is left to ${whose}: ${figures}`,
  )
}

function refuseTokens(asked: number | undefined, used: number, cap: number | null, whose: string): void {
  if (asked === undefined || cap === null || asked <= cap - used) return
  const left = count(Math.max(0, cap - used))
  const figures = `${count(used)} of ${count(cap)} are used`
  throw new ToolError(
    'limit',
    `max_tokens ${count(asked)} is more than the ${left} tokens that are left to ${whose}: ${figures}`,
  )
}

function reachedItself({ limits, usage, costUsd }: Capped): Reached | undefined {
  const money = moneyReached(costUsd ?? 0, limits.maxCostUsd, 'its own ')
  if (money) return { why: 'budget', note: money }
  const tokens = tokensReached(tokensOf(usage), limits.maxTokens, 'its own ')
  return tokens === undefined ? undefined : { why: 'max_tokens', note: tokens }
}

/** The tokens that count against a cap: input, whatever of it came from a cache, and output. */
export function tokensOf({ input, output }: Usage): number {
  return input + output
}

function moneyReached(spent: number, cap: number | null, whose = ''): string | undefined {
  return cap === null || spent < cap ? undefined : `${dollars(spent)} of ${whose}${dollars(cap)} are spent`
}

function tokensReached(used: number, cap: number | null, whose = ''): string | undefined {
  return cap === null || used < cap ? undefined : `${count(used)} of ${whose}${count(cap)} tokens are used`
}

/** Cents, and as much more as small sums need. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 6 : 2).replace(/(\.\d\d+?)0+$/, '$1')}`
}

function count(tokens: number): string {
  return tokens.toLocaleString('en-US')
}
