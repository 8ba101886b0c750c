import type { Run } from '../../core/run.ts'

/** What a run counts as it goes, and its limits. Every status has them. */
export type Figures = Partial<
  Pick<Run, 'turns' | 'toolCalls' | 'usage' | 'costUsd' | 'lastAction' | 'limits'>
>

/** Who asked for a run, and whether that one waits for it. */
export type Asker = Pick<Run, 'parentRunId' | 'originCallId' | 'background'>

type Entered = Pick<Run, 'status' | 'reason' | 'endReason'> & Partial<Run>

/**
 * The row of a run that this process drives, as last written or as the next write will leave it. Its methods are the only
 * writer: a row is replaced, never changed.
 */
export class HeldRow {
  #row: Run

  constructor(row: Run) {
    this.#row = row
  }

  get row(): Run {
    return this.#row
  }

  /** The run goes to another state, with what changes together with it. */
  enter(state: Entered): void {
    this.#put(state)
  }

  /** It waits on, for something else. */
  waitFor(waitingFor: NonNullable<Run['waitingFor']>): void {
    this.#put({ reason: waitingFor.what, waitingFor })
  }

  /** It is in the state of an earlier row again: the change that ended that state was not stored. */
  goBackTo({ status, reason, waitingFor }: Run): void {
    this.#put({ status, reason, waitingFor })
  }

  /** Somebody asks it to pause at its next boundary; null: no longer. */
  setPausing(pausing: 'user' | 'parent' | null): void {
    this.#put({ pausing })
  }

  count(figures: Figures): void {
    this.#put(figures)
  }

  /** A share that has grown. */
  grow(caps: Pick<Run['limits'], 'maxCostUsd' | 'maxTokens'>): void {
    this.#put({ limits: { ...this.#row.limits, ...caps } })
  }

  /** Somebody else asks for it now, or its caller waits no longer. */
  setAsker(asker: Partial<Asker>): void {
    this.#put(asker)
  }

  /** It is what the store says. */
  reload(stored: Run): void {
    this.#row = stored
  }

  #put(change: Partial<Run>): void {
    this.#row = { ...this.#row, ...change }
  }
}
