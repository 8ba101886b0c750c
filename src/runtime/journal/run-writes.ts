import { isStoreError } from '../../core/errors.ts'
import { ignoreLateRejection } from '../../core/rejections.ts'
import type { Figures } from '../run/held-row.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Change, Recorder, RecordOptions } from '../log/recorder.ts'

/** Writes that are one change: those that the same turn of the event loop asks for. */
interface Joined {
  readonly writes: ((change: Change) => void)[]
  readonly done: Promise<void>
}

/** How what one run writes gets into the store, in the order in which it asks; and the figures of its row. */
export class RunWrites {
  readonly #run: LiveRun
  readonly #recorder: Recorder
  /** Taken by the next write as long as nothing else was asked for. */
  #joined: Joined | undefined
  /** Figures that the row in the store lacks. */
  #figures: Figures = {}
  #failed: Promise<never> | undefined

  constructor(run: LiveRun, recorder: Recorder) {
    this.#run = run
    this.#recorder = recorder
  }

  /** Rejects with what made it fail; undefined as long as nothing did. */
  get failed(): Promise<never> | undefined {
    return this.#failed
  }

  /** The next write that somebody waits for rejects with this. */
  fail(error: unknown): void {
    this.#failed ??= Promise.reject(error)
    ignoreLateRejection(this.#failed)
  }

  /** Writes together with what else this turn of the event loop asks for: one row of events, one update of the run. */
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

  /** Writes alone: what fails takes nothing else along. */
  async record<T>(write: (change: Change) => T): Promise<T> {
    this.#joined = undefined // what comes later is written later
    if (this.#failed) await this.#failed
    try {
      return await this.#recorder.record(this.#run.row.conversationId, write)
    } catch (error) {
      if (this.#failed) await this.#failed // what failed first is the reason, not that its rows are missing now
      if (isStoreError(error)) this.fail(error) // such an error ends the run: nothing of it comes after its end
      throw error
    }
  }

  /** A write that nobody waits for; if it fails, the next one that somebody waits for says so. */
  later(write: (change: Change) => void, options: Required<RecordOptions>): void {
    this.#joined = undefined
    const done = this.#recorder.record(this.#run.row.conversationId, write, options)
    done.catch((error: unknown) => this.fail(error))
  }

  /** Changes figures of the run; the change that is under way stores them. */
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
