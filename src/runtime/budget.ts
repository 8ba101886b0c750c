import type { Limits } from '../core/limits.ts'
import type { Run } from '../core/run.ts'
import type { Usage } from '../core/usage.ts'
import type { Reached } from '../loop/ports.ts'
import { ToolError } from '../tools/port.ts'

/** What one or more requests came to. */
type Figures = Pick<Run, 'usage' | 'costUsd'>

/**
 * What a conversation has spent and may spend: every run counts once, so what a fork shares with another branch counts
 * once too (B2). Read from the rows at first, then kept as answers come. What has no known price adds no money: of that
 * the tokens are capped.
 */
export class Budget {
  readonly #maxTokens: number
  #budgetUsd: number | null
  #spentUsd = 0
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
    this.#tokens += tokensOf(usage)
  }

  /** Why a run may make no further request: its conversation has spent what it may, or it has itself. */
  reached({ limits, usage, costUsd }: Figures & Pick<Run, 'limits'>): Reached | undefined {
    const shared = this.#ofConversation()
    if (shared) return { why: 'budget', note: shared }
    const money = moneyReached(costUsd ?? 0, limits.maxCostUsd, 'its own ')
    if (money) return { why: 'budget', note: money }
    const tokens = tokensReached(tokensOf(usage), limits.maxTokens, 'its own ')
    return tokens === undefined ? undefined : { why: 'max_tokens', note: tokens }
  }

  /** @throws ToolError `budget`: a run that could make no request is not started. */
  checkSpawn(): void {
    const reached = this.#ofConversation()
    if (reached)
      throw new ToolError('budget', `no subagent is started any more: ${reached} in this conversation`)
  }

  #ofConversation(): string | undefined {
    return moneyReached(this.#spentUsd, this.#budgetUsd) ?? tokensReached(this.#tokens, this.#maxTokens)
  }
}

/** The tokens that count against a cap: input, whatever of it came from a cache, and output. */
function tokensOf({ input, output }: Usage): number {
  return input + output
}

function moneyReached(spent: number, cap: number | null, whose = ''): string | undefined {
  return cap === null || spent < cap ? undefined : `${dollars(spent)} of ${whose}${dollars(cap)} are spent`
}

function tokensReached(used: number, cap: number | null, whose = ''): string | undefined {
  return cap === null || used < cap ? undefined : `${count(used)} of ${whose}${count(cap)} tokens are used`
}

/** Cents, and as much more as small sums need. */
function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 6 : 2).replace(/(\.\d\d+?)0+$/, '$1')}`
}

function count(tokens: number): string {
  return tokens.toLocaleString('en-US')
}
