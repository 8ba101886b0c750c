import type { ConversationBudget } from '../../core/conversation.ts'
import type { ConversationId, RunId } from '../../core/ids.ts'
import type { StoredRun, RunLimits } from '../../core/run.ts'
import type { Reached, RequestEstimate, ReservationResult } from '../../loop/ports.ts'
import { ToolError } from '../../tools/port.ts'
import { moneyReached, UNPRICED } from './money-text.ts'
import { tokensOf, tokensReached } from './token-count.ts'
import { tooDear } from './too-dear.ts'
import { forecastOf, least, shareOf } from './budget-share.ts'
import { heldText, holdingsText } from './held-text.ts'
import {
  isLacking,
  spawnCaps,
  tooMuch,
  unlessNone,
  wholeTokens,
  type Amount,
  type Caps,
  type Wanted,
} from './spawn-caps.ts'
import { clean, type Ledger } from './ledger.ts'
import { Accounts } from './accounts.ts'
import { BudgetWaits, type Claim } from './budget-waits.ts'
import { anyWorks, comesBack, type RunsNow } from './who-works.ts'
import type { Change } from '../log/recorder.ts'
import { affordableOutput, requestCost, type RequestCost } from './request-cost.ts'
import { storedRun, type RunOnAccount, type Spender, type UsageAndCost } from './budget-account.ts'

/** US dollars and tokens; null: no cap. */
export interface Rest {
  readonly usd: number | null
  readonly tokens: number | null
}

/** Caps of the whole conversation; null: none. */
interface Whole {
  readonly budgetUsd: number | null
  readonly maxTokens: number | null
}

/**
 * What a conversation has spent, reserved and may spend: every run counts once, so what a fork shares with another
 * branch counts once too (invariant B2). Read from the rows at first, then kept as requests begin and answers come.
 * What has no known price adds no money: of that the tokens are capped.
 */
export class Budget {
  readonly #accounts: Accounts
  readonly #money: Ledger
  readonly #tokens: Ledger
  readonly #waits = new BudgetWaits()
  /** Number of a run's requests in progress. */
  readonly #inFlight = new Map<RunId, number>()

  /** `runs`: every run of the conversation so far. */
  constructor({ budgetUsd, maxTokens }: Whole, runs: readonly StoredRun[]) {
    this.#accounts = new Accounts(budgetUsd, maxTokens)
    this.#money = this.#accounts.money
    this.#tokens = this.#accounts.tokens
    for (const row of runs.toSorted((a, b) => a.depth - b.depth)) this.attach(storedRun(row))
  }

  /**
   * Overrides the configured budget while this process drives the conversation; returns a function that restores it.
   */
  allow(budgetUsd: number): () => void {
    const { cap } = this.#money
    this.#money.cap = budgetUsd
    this.#waits.wake()
    return () => void (this.#money.cap = cap)
  }

  /** Tracks a run that starts or resumes: what it reserves counts until it stops. */
  attach(run: RunOnAccount): void {
    this.#accounts.attach(run)
    run.watch?.(this.#waits.wake)
  }

  /** Removes a run that was not stored. */
  forget(id: RunId): void {
    this.#accounts.forget(id)
    this.#inFlight.delete(id)
    this.#waits.wake()
  }

  spend({ id }: Pick<StoredRun, 'id'>, { usage, costUsd }: UsageAndCost): void {
    if (costUsd === null) this.#accounts.isPriced = false
    this.#money.spend(id, costUsd ?? 0)
    this.#tokens.spend(id, tokensOf(usage))
    this.#accounts.giveBack(id)
  }

  /** Why a run may make no further request: its conversation or the run itself has reached its cap. */
  reached(run: Spender): Reached | undefined {
    this.#accounts.refresh()
    const shared = this.#ofConversation()
    return shared ? { why: 'budget', note: shared } : this.#reachedItself(run)
  }

  /**
   * Called before each request: holds its worst case until `release`, with the longest answer that fits. A run waits
   * while others hold what it needs and at least one of them works. If none works, they continue one after another with
   * the unreserved budget. `keepsSlot`: it keeps its slot meanwhile.
   */
  ask(run: Spender, estimate: RequestEstimate, keepsSlot = false): ReservationResult {
    const { id, depth } = run
    const isTurn = this.#waits.leave(id)
    const reached = this.reached(run)
    if (reached) return reached
    const { input, price } = estimate
    if (price === null) this.#accounts.isPriced = false
    const cost = requestCost(estimate)
    const within = (usd: number, tokens: number) => affordableOutput(cost, input, usd, tokens)
    const most = () => within(this.#money.room(id, true), this.#tokens.room(id, true))
    const own = within(this.#money.room(id), this.#tokens.room(id))
    if (own >= cost.fair) return this.#reserveRequest(run, input, own, cost)
    const back = comesBack(this.#now(), id)
    const later = within(this.#money.mostRoom(id, back), this.#tokens.mostRoom(id, back))
    if (!isTurn && later > own && later >= cost.least) {
      const used = this.#tokens.used(id)
      const until = this.#wait({ id, depth, used, fits: () => most() >= cost.least }, keepsSlot)
      if (until) return { until, held: heldText(id, cost, this.#money, this.#tokens) }
    }
    const output = most()
    if (output < cost.least) return this.#tooDear(run, input, cost)
    return this.#reserveRequest(run, input, output, cost)
  }

  /** undefined: no run works, and it is this one's turn. */
  #wait(claim: Claim, keepsSlot: boolean): Promise<void> | undefined {
    const { id } = claim
    if (this.#accounts.giveBack(id, true)) this.#waits.wake()
    if (this.#works(id, keepsSlot)) return this.#waits.enter(claim)
    const next = keepsSlot ? id : this.#waits.next(claim)
    if (next === id) return undefined
    this.#waits.giveTurn(next)
    return this.#waits.enter(claim)
  }

  /** A queued run continues only once there is a slot. */
  #works(id: RunId, keepsSlot: boolean): boolean {
    const asks = (each: RunId) => !keepsSlot || this.#accounts.rowOf(each)?.status !== 'queued'
    return [...this.#inFlight.keys()].some(asks) || anyWorks(this.#now(), id, keepsSlot)
  }

  #now(): RunsNow {
    return this.#accounts.now(this.#waits.waiting)
  }

  /**
   * Called before a subagent joins the queue: waits until its named amount, or some budget for its share, is free.
   * Waits like `ask`. If no run works, it starts with what there is.
   */
  fund(run: Spender): { readonly until: Promise<void>; readonly held: string } | undefined {
    const { id, depth } = run
    const isTurn = this.#waits.leave(id)
    this.#accounts.refresh()
    const lacking = (beyond: boolean) =>
      [this.#money, this.#tokens].find((ledger) => isLacking(ledger, id, beyond))
    const ledger = lacking(false)
    if (ledger && !isTurn) {
      const later = clean(ledger.mostRoom(id, comesBack(this.#now(), id)))
      const isMore = later > clean(ledger.room(id))
      const until = isMore && this.#wait({ id, depth, used: 0, fits: () => !lacking(true) }, false)
      if (until) return { until, held: holdingsText(ledger, id, ledger === this.#money) }
    }
    for (const each of [this.#money, this.#tokens]) each.take(id, ledger !== undefined)
    this.#accounts.storeGrown(id)
    return undefined
  }

  /**
   * The caps of a subagent that is about to start; call `fund` before it runs. `by`: the run that asks for it. @throws
   * ToolError `limit` or `budget` with what was asked, what can be left and who has the rest.
   */
  spawn(payer: RunId | null, wanted: Wanted, by?: Spender): Caps {
    this.#checkReached(by)
    return spawnCaps(this.#accounts, payer, wanted, comesBack(this.#now(), payer))
  }

  /**
   * The caps of a run that resumes below another: a requested amount must be free, everything else is adjusted. @throws
   * ToolError `limit` or `budget` with what was asked, what is free and who reserves the rest.
   */
  reserve(payer: RunId | null, wanted: Wanted, by?: Spender): Caps {
    this.#checkReached(by)
    const why = this.nothingFree(payer)
    if (why !== undefined) {
      const hint = 'Wait for a report: a subagent returns the budget that it does not spend.'
      throw new ToolError('budget', `cannot start a subagent now, no budget is free: ${why}`, hint)
    }
    const { usd, tokens } = wanted.asked ?? {}
    this.#checkAsked(this.#money, { field: 'max_cost_usd', asked: usd }, payer)
    this.#checkAsked(this.#tokens, { field: 'max_tokens', asked: tokens }, payer)
    return this.share(payer, wanted)
  }

  /** The same with whatever is free: a run that gets too little pauses before its first request. */
  share(payer: RunId | null, { asked = {}, defined }: Wanted): Caps {
    this.#accounts.refresh()
    const money = shareOf(this.#money, payer, asked.usd ?? defined, (amount) => amount)
    const tokens = shareOf(this.#tokens, payer, asked.tokens, wholeTokens)
    const growsTo = { maxCostUsd: money.growsTo, maxTokens: tokens.growsTo }
    return { maxCostUsd: money.cap, maxTokens: tokens.cap, ...unlessNone('growsTo', growsTo) }
  }

  /** The caps of a resumed run: these amounts beyond what it has used. */
  beyond(run: Pick<StoredRun, 'id'>, { maxCostUsd, maxTokens, growsTo }: Caps): Caps {
    this.#accounts.refresh()
    const plus = (ledger: Ledger, cap: number | null) =>
      cap === null ? null : ledger.committed(run.id) + cap
    const more = growsTo && {
      maxCostUsd: plus(this.#money, growsTo.maxCostUsd),
      maxTokens: plus(this.#tokens, growsTo.maxTokens),
    }
    return {
      maxCostUsd: plus(this.#money, maxCostUsd),
      maxTokens: plus(this.#tokens, maxTokens),
      ...(more ? { growsTo: more } : {}),
    }
  }

  /** The limits of a resumed run: what it had left when it stopped, as far as that is free. */
  again({ id, parentRunId, limits }: Spender): RunLimits {
    this.#accounts.refresh()
    const fit = (ledger: Ledger, cap: number | null) => {
      const free = ledger.free(parentRunId)
      return cap === null || free === null ? cap : Math.min(cap, ledger.committed(id) + free)
    }
    const maxCostUsd = fit(this.#money, limits.maxCostUsd)
    return { ...limits, maxCostUsd, maxTokens: fit(this.#tokens, limits.maxTokens) }
  }

  #checkReached(by: Spender | undefined): void {
    this.#accounts.refresh()
    const shared = this.#ofConversation()
    const reached = shared ? `${shared} in this conversation` : by && this.#reachedItself(by)?.note
    if (reached) throw new ToolError('budget', `cannot start more subagents: ${reached}`)
  }

  /** Why nothing can be reserved below a run (null: in the conversation); undefined: something can. */
  nothingFree(payer: RunId | null): string | undefined {
    this.#accounts.refresh()
    if (this.#money.isUsedUp(payer)) return this.#accounts.figures(this.#money, payer)
    return this.#tokens.free(payer) === 0 ? this.#accounts.figures(this.#tokens, payer) : undefined
  }

  /** What spawns below a run would reserve in order, and what would remain unreserved. null: no cap. */
  forecast(payer: RunId, spawns: readonly Wanted[]) {
    this.#accounts.refresh()
    const usd = forecastOf(
      this.#money.free(payer),
      spawns.map(({ asked, defined }) => asked?.usd ?? defined),
    )
    const tokens = forecastOf(
      this.#tokens.free(payer),
      spawns.map(({ asked }) => asked?.tokens),
    )
    return { usd: usd.sum, freeUsd: usd.free, tokens: tokens.sum ?? 0, freeTokens: tokens.free ?? 0 }
  }

  /** What a run may still spend, by its own caps and by those of all. No money can be told of what has no known price. */
  left(run: Spender): Rest {
    this.#accounts.refresh()
    const usd = leftOf(this.#money, run.id, run.limits.maxCostUsd)
    return {
      usd: this.#accounts.isPriced ? usd : null,
      tokens: leftOf(this.#tokens, run.id, run.limits.maxTokens),
    }
  }

  /** The part of the unspent budget that a run reserves for what it started. */
  reserved({ id }: Pick<StoredRun, 'id'>): { readonly usd: number; readonly tokens: number } {
    this.#accounts.refresh()
    return { usd: this.#money.reservedBelow(id), tokens: this.#tokens.reservedBelow(id) }
  }

  /** Spent, reserved and free budget of the whole conversation. */
  get totals() {
    this.#accounts.refresh()
    const of = (ledger: Ledger) => ({
      spent: ledger.spent,
      reserved: ledger.reservedBelow(null),
      free: ledger.free(null),
    })
    return { usd: of(this.#money), tokens: of(this.#tokens), isPriced: this.#accounts.isPriced }
  }

  /** Stores the budget with the conversation, so that any process can report what is left. */
  store({ tx }: Pick<Change, 'tx'>, id: ConversationId): void {
    const budget: ConversationBudget = { usd: this.#money.cap, tokens: this.#tokens.cap! }
    const known = tx.get('conversations', id)?.budget
    if (known?.usd !== budget.usd || known.tokens !== budget.tokens)
      tx.update('conversations', id, { budget })
  }

  #reserveRequest(run: Spender, input: number, output: number, cost: RequestCost): ReservationResult {
    const { id } = run
    const usd = cost.inputUsd + output * cost.outputUsdPerToken
    const tokens = input + output
    this.#money.hold(id, usd)
    this.#tokens.hold(id, tokens)
    this.#inFlight.set(id, 1 + (this.#inFlight.get(id) ?? 0))
    this.#accounts.storeGrown(id)
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      this.#money.release(id, usd)
      this.#tokens.release(id, tokens)
      this.#endRequest(id)
      this.#accounts.giveBack(id)
      this.#waits.wake()
    }
    return { ...(output < cost.most ? { maxOutputTokens: output } : {}), release }
  }

  #endRequest(id: RunId): void {
    const left = this.#inFlight.get(id)! - 1
    if (left > 0) this.#inFlight.set(id, left)
    else this.#inFlight.delete(id)
  }

  #ofConversation(): string | undefined {
    const { spent, cap } = this.#money
    return moneyReached(spent, cap) ?? this.#explained(tokensReached(this.#tokens.spent, this.#tokens.cap))
  }

  /** Why tokens are what is short, where a budget in money was given too. */
  #explained<T extends string | undefined>(tokens: T): T | string {
    return tokens === undefined || this.#accounts.isPriced || this.#money.cap === null
      ? tokens
      : `${tokens}; ${UNPRICED}`
  }

  /** A share has no cap of its own: the unreserved budget decides its size. */
  #reachedItself({ id, limits: { maxCostUsd, maxTokens, growsTo, asked } }: Spender): Reached | undefined {
    const usd = (growsTo?.maxCostUsd ?? null) === null ? (asked?.maxCostUsd ?? maxCostUsd) : null
    const money = moneyReached(this.#money.used(id), usd, 'its own ')
    if (money) return { why: 'budget', note: money }
    const most = (growsTo?.maxTokens ?? null) === null ? (asked?.maxTokens ?? maxTokens) : null
    const tokens = this.#explained(tokensReached(this.#tokens.used(id), most, 'its own '))
    return tokens === undefined ? undefined : { why: 'max_tokens', note: tokens }
  }

  #tooDear(run: Spender, input: number, cost: RequestCost): Reached {
    const ledgers = { money: this.#money, tokens: this.#tokens }
    return tooDear(run, { input, cost }, ledgers, {
      figures: (ledger, isShare, isCapped) => {
        const payer = isShare ? this.#accounts.fixedAbove(ledger, run) : isCapped ? run.id : null
        const figures = this.#accounts.figures(ledger, payer)
        return ledger === this.#tokens ? this.#explained(figures) : figures
      },
      left: (ledger, cap) => leftOf(ledger, run.id, cap),
    })
  }

  #checkAsked(ledger: Ledger, amount: Amount, payer: RunId | null): void {
    const left = ledger.free(payer)
    if (left !== null && (amount.asked ?? 0) > left)
      throw tooMuch(this.#accounts, ledger, payer, { ...amount, left })
  }
}

function leftOf(ledger: Ledger, id: RunId, cap: number | null): number | null {
  if (cap === null) return ledger.free(id)
  const own = clean(cap - ledger.committed(id))
  return least(own, ledger.free(null) === null ? null : clean(ledger.cap! - ledger.spent))
}
