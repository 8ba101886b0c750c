import { isStoreError } from '../../core/errors.ts'
import { ignoreLateRejection } from '../../core/rejections.ts'
import type { Figures } from '../run/held-row.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Change, Recorder, RecordOptions } from '../log/recorder.ts'

/** Writes of the same event-loop turn, combined into one change. */
interface Joined {
  readonly writes: ((change: Change) => void)[]
  readonly done: Promise<void>
}

/** Orders the writes of one run to the store, and the figures of its row. */
export class RunWrites {
  readonly #run: LiveRun
  readonly #recorder: Recorder
  /** Used by the next write unless something else was requested in between. */
  #joined: Joined | undefined
  /** Figures that the stored row lacks. */
  #figures: Figures = {}
  #failed: Promise<never> | undefined

  constructor(run: LiveRun, recorder: Recorder) {
    this.#run = run
    this.#recorder = recorder
  }

  /** Rejects with the cause of its failure; undefined while there is none. */
  get failed(): Promise<never> | undefined {
    return this.#failed
  }

  /** Makes the next awaited write reject with this. */
  fail(error: unknown): void {
    this.#failed ??= Promise.reject(error)
    ignoreLateRejection(this.#failed)
  }

  /** Writes together with the other writes of this event-loop turn: one row of events, one update of the run. */
  async join<T>(write: (change: Change) => T): Promise<T> {
    if (this.#failed) await this.#failed
    const joined = (this.#joined ??= this.#openJoined())
    let result: T
    joined.writes.push((change) => void (result = write(change)))
    await joined.done
    return result!
  }

  #openJoined(): Joined {
    const writes: Joined['writes'] = []
    const done = this.record((change) => {
      if (this.#joined?.writes === writes) this.#joined = undefined
      for (const write of writes) write(change)
      this.writeFigures(change)
    })
    return { writes, done }
  }

  /** Writes alone, so that a failure affects nothing else. */
  async record<T>(write: (change: Change) => T): Promise<T> {
    this.#joined = undefined // later requests are written later
    if (this.#failed) await this.#failed
    try {
      return await this.#recorder.record(this.#run.row.conversationId, write)
    } catch (error) {
      if (this.#failed) await this.#failed // the first failure is the reason, not the missing rows that follow from it
      if (isStoreError(error)) this.fail(error) // such an error ends the run: nothing may be written after its end
      throw error
    }
  }

  /** A write that nobody awaits; if it fails, the next awaited one reports it. */
  later(write: (change: Change) => void, options: Required<RecordOptions>): void {
    this.#joined = undefined
    const done = this.#recorder.record(this.#run.row.conversationId, write, options)
    done.catch((error: unknown) => this.fail(error))
  }

  /** Changes figures of the run; the pending change stores them. */
  patch(figures: Figures): void {
    this.#run.held.count(figures)
    Object.assign(this.#figures, figures)
  }

  writeFigures(change: Change): void {
    const figures = this.#figures
    if (Object.keys(figures).length === 0) return
    this.#figures = {}
    change.tx.update('runs', this.#run.row.id, figures)
  }
}
