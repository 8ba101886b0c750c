import { backTo, parseRun, waitOn } from '../../core/run-steps.ts'
import type { Run, RunFacts, RunLimits, StoredRun, WaitingFor } from '../../core/run.ts'

/** What a run counts as it goes, and its limits. */
export type Figures = Partial<
  Pick<RunFacts, 'turns' | 'toolCalls' | 'usage' | 'costUsd' | 'lastAction' | 'limits' | 'finishReason'>
>

/** Who asked for a run, whether that one waits for it, and whether it is told of its report. */
export type Asker = Partial<Pick<RunFacts, 'parentRunId' | 'originCallId' | 'background' | 'unreported'>>

/**
 * The row of a run that this process drives, as last written or as the next write will leave it. Its methods are the only
 * writer: a row is replaced, never changed.
 */
export class HeldRow {
  #row: Run
  #onMoved = () => {}

  constructor(row: Run) {
    this.#row = row
  }

  get row(): Run {
    return this.#row
  }

  /** The run is in another state: `next` comes of a step (core/run-steps.ts). */
  enter(next: Run): void {
    this.#move(next)
  }

  /** It waits on, for something else. */
  waitFor(waitingFor: WaitingFor): void {
    this.#move(waitOn(this.#row, waitingFor))
  }

  /** It is in the state of an earlier row again: the change that ended that state was not stored. */
  goBackTo(earlier: Run): void {
    this.#move(backTo(earlier, this.#row))
  }

  /** Somebody asks it to pause at its next boundary; null: no longer. One that has stopped is asked nothing. */
  setPausing(pausing: 'user' | 'parent' | null): void {
    const row = this.#row
    if (row.endedAt === null) this.#row = { ...row, pausing }
  }

  count(figures: Figures): void {
    this.#row = { ...this.#row, ...figures }
  }

  /** It goes on with another model. */
  setModel(model: string): void {
    this.#row = { ...this.#row, model }
  }

  /** A share that has grown. */
  grow(caps: Pick<RunLimits, 'maxCostUsd' | 'maxTokens'>): void {
    this.count({ limits: { ...this.#row.limits, ...caps } })
  }

  /** Somebody else asks for it now, or its caller waits no longer. */
  setAsker(asker: Asker): void {
    this.#row = { ...this.#row, ...asker }
    this.#onMoved()
  }

  /** It is what the store says. @throws OffshootError `store_corrupt` as `parseRun` does. */
  reload(stored: StoredRun): void {
    this.#move(parseRun(stored))
  }

  /** Calls back when its state has changed, or who waits for it. */
  watch(onMoved: () => void): void {
    this.#onMoved = onMoved
  }

  #move(next: Run): void {
    const { status, reason } = this.#row
    this.#row = next
    if (next.status !== status || next.reason !== reason) this.#onMoved()
  }
}
