import type { RunId } from '../../core/ids.ts'
import { isStopped } from '../../core/run-status.ts'
import type { AccountRow, RunOnAccount, Spender } from './budget-account.ts'
import { figuresText } from './figures-text.ts'
import { countedUsd } from './assumed-price.ts'
import { Ledger } from './ledger.ts'
import { tokensOf } from './token-count.ts'
import { isHeldBack, type RunsNow } from './who-works.ts'

/** The accounts of a conversation's runs, in money and tokens. */
export class Accounts {
  readonly money: Ledger
  readonly tokens: Ledger
  readonly #depths = new Map<RunId, number>()
  /** Runs that have not stopped, with the row that the ledgers know. */
  readonly #open = new Map<RunId, { readonly run: RunOnAccount; known: AccountRow }>()
  /** Runs paused by a person, their parent or a restart, as they were attached. */
  readonly #heldBack = new Map<RunId, RunOnAccount>()
  /** Whether the price of everything spent is known. */
  isPriced = true

  /** Caps of the whole conversation; null: none. */
  constructor(usd: number | null, tokens: number | null) {
    this.money = new Ledger(usd)
    this.tokens = new Ledger(tokens)
  }

  attach(run: RunOnAccount): void {
    const { row } = run
    this.#know(row)
    this.#heldBack.delete(row.id)
    if (isHeldBack(row)) this.#heldBack.set(row.id, run)
    if (!isStopped(row.status)) this.#open.set(row.id, { run, known: row })
  }

  forget(id: RunId): void {
    this.#open.delete(id)
    this.#heldBack.delete(id)
    this.#depths.delete(id)
    this.money.forget(id)
    this.tokens.forget(id)
  }

  /** The current row of a run that has not stopped. */
  rowOf(id: RunId): AccountRow | undefined {
    return this.#open.get(id)?.run.row
  }

  now(waiting: RunsNow['waiting']): RunsNow {
    const driven = [...this.#open.values()].filter(({ run }) => run.watch)
    const paused = [...this.#heldBack.values()].map(({ row }) => row)
    return { open: driven.map(({ known }) => known), heldBack: paused.filter(isHeldBack), waiting }
  }

  /** Runs that stopped since the last look release their part. Rows are replaced, never changed. */
  refresh(): void {
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

  /** Returns unused budget of a share to others; `isIdle`: all of it. Returns whether there was any. */
  giveBack(id: RunId, isIdle = false): boolean {
    const gave = [this.money.giveBack(id, isIdle), this.tokens.giveBack(id, isIdle)]
    this.storeGrown(id)
    return gave.includes(true)
  }

  /** A changed share, its own or one above it, is stored in the row of its run by its driver. */
  storeGrown(id: RunId): void {
    for (let at: RunId | null = id; at !== null; at = this.#open.get(at)?.known.parentRunId ?? null) {
      const run = this.#open.get(at)?.run
      if (!(run?.row.limits.growsTo || run?.row.limits.asked) || isStopped(run.row.status)) continue
      const { limits } = run.row
      const maxCostUsd = this.money.capOf(at)
      const maxTokens = this.tokens.capOf(at)
      if (maxCostUsd !== limits.maxCostUsd || maxTokens !== limits.maxTokens)
        run.grow({ maxCostUsd, maxTokens })
    }
  }

  /** Spent and reserved amounts of the account that a run draws on; null: the conversation's. */
  figures(ledger: Ledger, payer: RunId | null): string {
    const rows = [...this.#open.values()].map(({ known }) => known)
    return figuresText(ledger, payer, rows, ledger === this.money ? 'usd' : 'tokens')
  }

  /** The run whose amount a share grows from; null: the conversation's. */
  fixedAbove(ledger: Ledger, { parentRunId }: Pick<Spender, 'parentRunId'>): RunId | null {
    const above = parentRunId === null ? undefined : this.#open.get(parentRunId)?.known
    if (!above) return null
    const { growsTo } = above.limits
    const grows = ledger === this.money ? growsTo?.maxCostUsd : growsTo?.maxTokens
    return (grows ?? null) === null ? above.id : this.fixedAbove(ledger, above)
  }

  #know(row: Spender): void {
    const { id, parentRunId, depth, limits, status } = row
    const isNew = !this.#depths.has(id)
    if (isNew && row.costUsd === null) this.isPriced = false
    // regardless of row order: an account comes after the one closer to the root
    const parent = parentRunId && (this.#depths.get(parentRunId) ?? depth) < depth ? parentRunId : null
    this.#depths.set(id, depth)
    const facts = { parent, isOpen: !isStopped(status) }
    const { growsTo, asked } = limits
    const grows = (unit: 'maxCostUsd' | 'maxTokens') => {
      const named = asked?.[unit] ?? null
      return { cap: limits[unit], growsTo: named ?? growsTo?.[unit] ?? null, isNamed: named !== null }
    }
    this.money.know(id, { ...facts, ...grows('maxCostUsd') }, countedUsd(row))
    this.tokens.know(id, { ...facts, ...grows('maxTokens') }, tokensOf(row.usage))
  }
}
