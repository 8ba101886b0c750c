import { backTo, parseRun, waitInQueue, waitOn } from '../../core/run-steps.ts'
import type { Run, RunFacts, RunLimits, StoredRun, WaitingFor } from '../../core/run.ts'

/** The counters that grow during a run, and its limits. */
export type Figures = Partial<
  Pick<
    RunFacts,
    'turns' | 'toolCalls' | 'usage' | 'costUsd' | 'lastAction' | 'limits' | 'setup' | 'finishReason'
  >
>

/** Who started a run, whether that agent waits for it, and whether it gets the report. */
export type Asker = Partial<Pick<RunFacts, 'parentRunId' | 'originCallId' | 'background' | 'unreported'>>

/**
 * The row of a run that this process drives, as last written or as the next write will leave it. Only its methods write
 * it: a row is replaced, never changed.
 */
export class HeldRow {
  #row: Run
  #onMoved = () => {}
  #onGrown = () => {}

  constructor(row: Run) {
    this.#row = row
  }

  get row(): Run {
    return this.#row
  }

  /** Moves the run to another state: `next` comes from core/run-steps.ts. */
  enter(next: Run): void {
    this.#move(next)
  }

  /** Changes what the run waits for. */
  waitFor(waitingFor: WaitingFor): void {
    this.#move(waitOn(this.#row, waitingFor))
  }

  /** Sets the budget that it waits for in the queue; null: it waits for a slot from now on. */
  waitInQueue(waitingFor: WaitingFor | null): void {
    this.#row = waitInQueue(this.#row, waitingFor)
    this.#onMoved()
  }

  /** Restores an earlier row because the change that replaced it was not stored. */
  goBackTo(earlier: Run): void {
    this.#move(backTo(earlier, this.#row))
  }

  /** Requests a pause at its next boundary; null revokes it. Ignored for a stopped run. */
  setPausing(pausing: 'user' | 'parent' | null): void {
    const row = this.#row
    if (row.endedAt === null) this.#row = { ...row, pausing }
  }

  count(figures: Figures): void {
    this.#row = { ...this.#row, ...figures }
  }

  /** Changes its model. */
  setModel(model: string): void {
    this.#row = { ...this.#row, model }
  }

  /** Updates a share that grew or returned budget. */
  grow(caps: Pick<RunLimits, 'maxCostUsd' | 'maxTokens'>): void {
    this.count({ limits: { ...this.#row.limits, ...caps } })
    this.#onGrown()
  }

  /** Subscribes to share changes, which the driver stores. */
  whenGrown(onGrown: () => void): void {
    this.#onGrown = onGrown
  }

  /** Changes who asked for it, or releases its waiting caller. */
  setAsker(asker: Asker): void {
    this.#row = { ...this.#row, ...asker }
    this.#onMoved()
  }

  /** Reloads the run from the store. @throws OffshootError `store_corrupt` like `parseRun`. */
  reload(stored: StoredRun): void {
    this.#move(parseRun(stored))
  }

  /** Subscribes to changes of its state, or of who waits for it. */
  watch(onMoved: () => void): void {
    this.#onMoved = onMoved
  }

  #move(next: Run): void {
    const { status, reason } = this.#row
    this.#row = next
    if (next.status !== status || next.reason !== reason) this.#onMoved()
  }
}
