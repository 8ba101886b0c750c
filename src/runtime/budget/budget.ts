import type { ConversationBudget } from '../../core/conversation.ts'
import type { ConversationId, RunId } from '../../core/ids.ts'
import type { StoredRun, RunLimits } from '../../core/run.ts'
import { isStopped } from '../../core/run-status.ts'
import type { Reached, RequestEstimate, ReservationResult } from '../../loop/ports.ts'
import { ToolError } from '../../tools/port.ts'
import { dollars, moneyReached, UNPRICED } from './money-text.ts'
import { count, tokensOf, tokensReached } from './token-count.ts'
import { forecastOf, least, shareOf } from './budget-share.ts'
import { figuresText } from './figures-text.ts'
import { heldText } from './held-text.ts'
import { clean, Ledger } from './ledger.ts'
import { BudgetWaits } from './budget-waits.ts'
import { anyWorks, comesBack, isHeldBack, type RunsNow } from './who-works.ts'
import type { Change } from '../log/recorder.ts'
import { affordableOutput, requestCost, type RequestCost } from './request-cost.ts'
import {
  storedRun,
  type AccountRow,
  type RunOnAccount,
  type Spender,
  type UsageAndCost,
} from './budget-account.ts'

/** US dollars and tokens; null: without a cap. */
export interface Rest {
  readonly usd: number | null
  readonly tokens: number | null
}

/** What is to be reserved: as it was asked for, else as a definition says, else a share. */
export interface Wanted {
  readonly asked?: { readonly usd?: number | undefined; readonly tokens?: number | undefined }
  readonly defined?: number | undefined
}

/** Caps of everything together; null: none. */
interface Whole {
  readonly budgetUsd: number | null
  readonly maxTokens: number | null
}

export type Caps = Pick<RunLimits, 'maxCostUsd' | 'maxTokens' | 'growsTo'>

/**
 * What a conversation has spent, reserved and may spend: every run counts once, so what a fork shares with another
 * branch counts once too (invariant B2). Read from the rows at first, then kept as requests begin and answers come.
 * What has no known price adds no money: of that the tokens are capped.
 */
export class Budget {
  readonly #money: Ledger
  readonly #tokens: Ledger
  readonly #depths = new Map<RunId, number>()
  /** The runs that have not stopped, with the row that the ledgers know. */
  readonly #open = new Map<RunId, { readonly run: RunOnAccount; known: AccountRow }>()
  /** Whether all that was spent, or asked for, has a known price. */
  #isPriced = true
  /** Those that a person, their parent or a restart has paused, as they were attached. */
  readonly #heldBack = new Map<RunId, RunOnAccount>()
  readonly #waits = new BudgetWaits()
  #inFlight = 0

  /** `runs`: every run that the conversation has had so far. */
  constructor({ budgetUsd, maxTokens }: Whole, runs: readonly StoredRun[]) {
    this.#money = new Ledger(budgetUsd)
    this.#tokens = new Ledger(maxTokens)
    for (const row of runs.toSorted((a, b) => a.depth - b.depth)) this.attach(storedRun(row))
  }

  /** In the place of what the configuration allows, while this process drives the conversation; returns what takes it back. */
  allow(budgetUsd: number): () => void {
    const { cap } = this.#money
    this.#money.cap = budgetUsd
    this.#waits.wake()
    return () => void (this.#money.cap = cap)
  }

  /** Follows a run that begins or goes on: what it reserves counts until it has stopped. */
  attach(run: RunOnAccount): void {
    const { row } = run
    this.#know(row)
    run.watch?.(this.#waits.wake)
    this.#heldBack.delete(row.id)
    if (isHeldBack(row)) this.#heldBack.set(row.id, run)
    if (!isStopped(row.status)) this.#open.set(row.id, { run, known: row })
  }

  /** A run that was not stored. */
  forget(id: RunId): void {
    this.#open.delete(id)
    this.#heldBack.delete(id)
    this.#depths.delete(id)
    this.#money.forget(id)
    this.#tokens.forget(id)
    this.#waits.wake()
  }

  spend({ id }: Pick<StoredRun, 'id'>, { usage, costUsd }: UsageAndCost): void {
    this.#isPriced &&= costUsd !== null
    this.#money.spend(id, costUsd ?? 0)
    this.#tokens.spend(id, tokensOf(usage))
  }

  /** Why a run may make no further request: its conversation has spent what it may, or it has itself. */
  reached(run: Spender): Reached | undefined {
    this.#refresh()
    const shared = this.#ofConversation()
    return shared ? { why: 'budget', note: shared } : this.#reachedItself(run)
  }

  /**
   * Asked before each request: its worst case is held until `release`, with as long an answer as there is room for. A run
   * waits where others hold what would let it go on, and one of them is at work. `keepsSlot`: it holds its slot meanwhile.
   */
  ask(run: Spender, estimate: RequestEstimate, keepsSlot = false): ReservationResult {
    const { id } = run
    this.#waits.leave(id)
    const reached = this.reached(run)
    if (reached) return reached
    const { input, price } = estimate
    if (price === null) this.#isPriced = false
    const cost = requestCost(estimate)
    const output = affordableOutput(cost, input, this.#money.room(id), this.#tokens.room(id))
    if (output < cost.fair && this.#mayWait(id, keepsSlot)) {
      const back = comesBack(this.#now(), id)
      const usd = this.#money.mostRoom(id, back)
      const most = affordableOutput(cost, input, usd, this.#tokens.mostRoom(id, back))
      if (most > output && most >= cost.least) {
        const held = heldText(id, cost, this.#money, this.#tokens)
        return { until: this.#waits.enter(id), held }
      }
    }
    if (output < cost.least) return this.#tooDear(run, input, cost)
    return this.#reserveRequest(run, input, output, cost)
  }

  #mayWait(id: RunId, keepsSlot: boolean): boolean {
    return this.#inFlight > 0 || anyWorks(this.#now(), id, keepsSlot)
  }

  #now(): RunsNow {
    const driven = [...this.#open.values()].filter(({ run }) => run.watch)
    const paused = [...this.#heldBack.values()].map(({ row }) => row)
    return {
      open: driven.map(({ known }) => known),
      heldBack: paused.filter(isHeldBack),
      waiting: this.#waits.waiting,
    }
  }

  /**
   * The caps of a run that is about to begin below another: what is asked for has to be there, all else is made to fit.
   * `spent` is what it has come to before. @throws ToolError `limit` or `budget` with what was asked, what is free and who
   * reserves the rest.
   */
  reserve(payer: RunId | null, wanted: Wanted, by?: Spender): Caps {
    this.checkSpawn(by)
    const { usd, tokens } = wanted.asked ?? {}
    this.#checkAsked('max_cost_usd', usd, payer)
    this.#checkAsked('max_tokens', tokens, payer)
    return this.share(payer, wanted)
  }

  /** The same, of whatever there is: a run that gets too little pauses before its first request. */
  share(payer: RunId | null, { asked = {}, defined }: Wanted): Caps {
    this.#refresh()
    const money = shareOf(this.#money, payer, asked.usd ?? defined, (amount) => amount)
    const tokens = shareOf(this.#tokens, payer, asked.tokens, whole)
    const growsTo = { maxCostUsd: money.growsTo, maxTokens: tokens.growsTo }
    const grows = growsTo.maxCostUsd !== null || growsTo.maxTokens !== null
    return { maxCostUsd: money.cap, maxTokens: tokens.cap, ...(grows ? { growsTo } : {}) }
  }

  /** The caps of a run that goes on: these beyond what it has come to. */
  beyond(run: Pick<StoredRun, 'id'>, { maxCostUsd, maxTokens, growsTo }: Caps): Caps {
    this.#refresh()
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

  /** The limits of a run that goes on with what it had left when it stopped, as far as that is free. */
  again({ id, parentRunId, limits }: Spender): RunLimits {
    this.#refresh()
    const fit = (ledger: Ledger, cap: number | null) => {
      const free = ledger.free(parentRunId)
      return cap === null || free === null ? cap : Math.min(cap, ledger.committed(id) + free)
    }
    const maxCostUsd = fit(this.#money, limits.maxCostUsd)
    return { ...limits, maxCostUsd, maxTokens: fit(this.#tokens, limits.maxTokens) }
  }

  /** `by`: the run that asks for it. @throws ToolError `budget`: a run that could make no request is not started. */
  checkSpawn(by?: Spender): void {
    this.#refresh()
    const shared = this.#ofConversation()
    const reached = shared ? `${shared} in this conversation` : by && this.#reachedItself(by)?.note
    if (reached) throw new ToolError('budget', `no subagent is started any more: ${reached}`)
    const why = this.nothingFree(by?.id ?? null)
    if (why === undefined) return
    const hint = 'Wait for a report: what a subagent does not spend comes back.'
    throw new ToolError('budget', `no subagent is started now, nothing is free: ${why}`, hint)
  }

  /** Why nothing can be reserved below a run, or null: in the conversation; undefined: something can. */
  nothingFree(payer: RunId | null): string | undefined {
    this.#refresh()
    if (this.#money.isUsedUp(payer)) return this.#figures(this.#money, payer)
    return this.#tokens.free(payer) === 0 ? this.#figures(this.#tokens, payer) : undefined
  }

  /** What spawns below a run would reserve, one after the other, and what would be left unreserved then. null: no cap. */
  forecast(payer: RunId, spawns: readonly Wanted[]) {
    this.#refresh()
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
    this.#refresh()
    const usd = leftOf(this.#money, run.id, run.limits.maxCostUsd)
    return { usd: this.#isPriced ? usd : null, tokens: leftOf(this.#tokens, run.id, run.limits.maxTokens) }
  }

  /** Of what nobody has spent: what a run holds for what it has started. */
  reserved({ id }: Pick<StoredRun, 'id'>): { readonly usd: number; readonly tokens: number } {
    this.#refresh()
    return { usd: this.#money.reservedBelow(id), tokens: this.#tokens.reservedBelow(id) }
  }

  /** What is spent, reserved and free in the whole conversation. */
  get totals() {
    this.#refresh()
    const of = (ledger: Ledger) => ({
      spent: ledger.spent,
      reserved: ledger.reservedBelow(null),
      free: ledger.free(null),
    })
    return { usd: of(this.#money), tokens: of(this.#tokens), isPriced: this.#isPriced }
  }

  /** Keeps with the conversation what it may spend, so that any process can say what is left. */
  store({ tx }: Pick<Change, 'tx'>, id: ConversationId): void {
    const budget: ConversationBudget = { usd: this.#money.cap, tokens: this.#tokens.cap! }
    const known = tx.get('conversations', id)?.budget
    if (known?.usd !== budget.usd || known.tokens !== budget.tokens)
      tx.update('conversations', id, { budget })
  }

  #know(row: Spender): void {
    const { id, parentRunId, depth, limits, status } = row
    const isNew = !this.#depths.has(id)
    if (isNew && row.costUsd === null) this.#isPriced = false
    // whatever rows say: an account stands below one that is nearer to the root
    const parent = parentRunId && (this.#depths.get(parentRunId) ?? depth) < depth ? parentRunId : null
    this.#depths.set(id, depth)
    const facts = { parent, isOpen: !isStopped(status) }
    const { maxCostUsd, maxTokens, growsTo } = limits
    const money = { ...facts, cap: maxCostUsd, growsTo: growsTo?.maxCostUsd ?? null }
    const tokens = { ...facts, cap: maxTokens, growsTo: growsTo?.maxTokens ?? null }
    this.#money.know(id, money, row.costUsd ?? 0)
    this.#tokens.know(id, tokens, tokensOf(row.usage))
  }

  /** What has stopped since then holds nothing any more. Rows are replaced, never changed. */
  #refresh(): void {
    for (const each of this.#open.values()) {
      const { row } = each.run
      if (each.known === row) continue
      const { status, limits, parentRunId } = each.known
      each.known = row
      if (isHeldBack(row)) this.#heldBack.set(row.id, each.run)
      if (isStopped(row.status)) this.#open.delete(row.id)
      else if (row.limits === limits && row.parentRunId === parentRunId && row.status === status) continue
      this.#know(row)
    }
  }

  #reserveRequest(run: Spender, input: number, output: number, cost: RequestCost): ReservationResult {
    const { id } = run
    const usd = cost.inputUsd + output * cost.outputUsdPerToken
    const tokens = input + output
    this.#money.hold(id, usd)
    this.#tokens.hold(id, tokens)
    this.#inFlight++
    this.#updateGrownLimits(id)
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      this.#money.release(id, usd)
      this.#tokens.release(id, tokens)
      this.#inFlight--
      this.#waits.wake()
    }
    return { ...(output < cost.most ? { maxOutputTokens: output } : {}), release }
  }

  /** A share that has grown, its own or of what is above it, stands in the row of its run; whoever drives that stores it. */
  #updateGrownLimits(id: RunId): void {
    for (let at: RunId | null = id; at !== null; at = this.#open.get(at)?.known.parentRunId ?? null) {
      const run = this.#open.get(at)?.run
      if (!run?.row.limits.growsTo) continue
      const { limits } = run.row
      const maxCostUsd = this.#money.capOf(at)
      const maxTokens = this.#tokens.capOf(at)
      if (maxCostUsd !== limits.maxCostUsd || maxTokens !== limits.maxTokens)
        run.grow({ maxCostUsd, maxTokens })
    }
  }

  #ofConversation(): string | undefined {
    const { spent, cap } = this.#money
    return moneyReached(spent, cap) ?? this.#explained(tokensReached(this.#tokens.spent, this.#tokens.cap))
  }

  /** Why tokens are what is short, where a budget in money was given too. */
  #explained<T extends string | undefined>(tokens: T): T | string {
    return tokens === undefined || this.#isPriced || this.#money.cap === null
      ? tokens
      : `${tokens}; ${UNPRICED}`
  }

  #reachedItself({ id, limits }: Spender): Reached | undefined {
    const { maxCostUsd, maxTokens, growsTo } = limits
    const usd = maxCostUsd === null ? null : Math.max(maxCostUsd, growsTo?.maxCostUsd ?? 0)
    const money = moneyReached(this.#money.used(id), usd, 'its own ')
    if (money) return { why: 'budget', note: money }
    const most = maxTokens === null ? null : Math.max(maxTokens, growsTo?.maxTokens ?? 0)
    const tokens = this.#explained(tokensReached(this.#tokens.used(id), most, 'its own '))
    if (tokens === undefined) return undefined
    return { why: (growsTo?.maxTokens ?? null) === null ? 'max_tokens' : 'budget', note: tokens }
  }

  /** The worst case of a request does not fit: the shortest answer that is worth it. */
  #tooDear(run: Spender, input: number, cost: RequestCost): Reached {
    const { id, limits } = run
    const usd = cost.inputUsd + cost.least * cost.outputUsdPerToken
    const lacksMoney = usd > this.#money.room(id) + 1e-9
    const ledger = lacksMoney ? this.#money : this.#tokens
    const shown = lacksMoney ? dollars : count
    const unit = lacksMoney ? '' : ' tokens'
    const needs = `the next request may ${lacksMoney ? 'cost' : 'take'} ${shown(lacksMoney ? usd : input + cost.least)}${unit}`
    const own = lacksMoney ? limits.maxCostUsd : limits.maxTokens
    const left = clean(Math.min(leftOf(ledger, id, own) ?? Infinity, ledger.room(id)))
    const note = `${needs}, and ${shown(left)}${unit} ${unit ? 'were' : 'was'} left when it paused: ${this.#figures(ledger, own === null ? null : id)}`
    const asked = lacksMoney ? limits.growsTo?.maxCostUsd : limits.growsTo?.maxTokens
    const isOwnTokens = !lacksMoney && own !== null && (asked ?? null) === null
    return { why: isOwnTokens ? 'max_tokens' : 'budget', note: lacksMoney ? note : this.#explained(note) }
  }

  #checkAsked(field: 'max_cost_usd' | 'max_tokens', asked: number | undefined, payer: RunId | null): void {
    const isMoney = field === 'max_cost_usd'
    const [ledger, shown, unit] = isMoney ? [this.#money, dollars, ''] : [this.#tokens, count, ' tokens']
    const free = ledger.free(payer)
    if (asked === undefined || free === null || asked <= free) return
    const isOwn = payer !== null && ledger.whole(payer) !== ledger.whole(null)
    const left = `the ${shown(free)}${unit} that ${unit ? 'are' : 'is'} left to ${isOwn ? 'your own run' : 'this conversation'}`
    const amount = unit ? shown(asked) : asked
    throw new ToolError('limit', `${field} ${amount} is more than ${left}: ${this.#figures(ledger, payer)}`)
  }

  #figures(ledger: Ledger, payer: RunId | null): string {
    const rows = [...this.#open.values()].map(({ known }) => known)
    return figuresText(ledger, payer, rows, ledger === this.#money ? 'usd' : 'tokens')
  }
}

function leftOf(ledger: Ledger, id: RunId, cap: number | null): number | null {
  if (cap === null) return ledger.free(id)
  const own = clean(cap - ledger.committed(id))
  return least(own, ledger.free(null) === null ? null : clean(ledger.cap! - ledger.spent))
}

/** Tokens are whole, but for a share of next to nothing. */
function whole(tokens: number): number {
  return tokens < 1 ? tokens : Math.floor(tokens)
}
