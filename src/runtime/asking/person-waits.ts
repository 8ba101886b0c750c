import type { ApprovalId, CallId, ConversationId, QuestionId } from '../../core/ids.ts'
import { bounds } from '../../core/limits.ts'
import type { WaitingFor } from '../../core/run.ts'
import { state } from '../../core/run-status.ts'
import { enterWait } from '../run/child-waits.ts'
import { changeRun, keepsAsking, runEvent, type LiveRun } from '../run/live-run.ts'
import type { Change } from '../log/recorder.ts'
import { endWait, untilRunning, type SlotDeps } from '../run/slots.ts'

/** An approval or question of a run. */
export interface PersonWait {
  readonly id: ApprovalId | QuestionId
  readonly callId: CallId
  readonly waitingFor: WaitingFor & { readonly what: 'approval' | 'question'; readonly until: number }
  /** Returns an answer that arrived before the run started to wait; the run then does not wait. */
  known?(change: Change): unknown
  /** Writes the approval or question, in the change in which the run starts to wait. */
  open(change: Change, line: LinePlace): void
  /** Called when the wait has lasted until `until`. */
  expire(): Promise<void>
  /** Called when the run is stopped and its question is withdrawn. */
  withdraw(): Promise<void>
}

/** Its position among the open approvals and questions of the conversation, oldest first: `position` of `of`. */
export interface LinePlace {
  readonly position: number
  readonly of: number
}

interface Pending {
  readonly run: LiveRun
  readonly waitingFor: WaitingFor
  readonly settle: (answer: never) => void
}

/** Runs of this process that wait for a person, at any depth. A run can have several open questions. */
export class PersonWaits {
  readonly #deps: SlotDeps
  readonly #pending = new Map<PersonWait['id'], Pending>()

  constructor(deps: SlotDeps) {
    this.#deps = deps
  }

  /**
   * Waits until `settle` gives the answer. Rejects with the run's stop reason if it is stopped first; the question is then
   * withdrawn, unless the stop keeps questions open.
   */
  async until<A>(run: LiveRun, asking: PersonWait): Promise<A> {
    const { promise, resolve, reject } = Promise.withResolvers<A>()
    const { signal } = run.controller
    signal.throwIfAborted()
    const onAbort = () => reject(signal.reason)
    let cancelExpiry = () => {}
    try {
      await this.#enter(run, asking, resolve)
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
      cancelExpiry = this.#expireLater(asking)
      const answer = await promise
      await untilRunning(this.#deps, run)
      await enterWait(this.#deps, run) // the rest of the turn may wait for children by now
      return answer
    } catch (error) {
      if (signal.aborted && keepsAsking(run)) run.stillAsking.add(asking.callId)
      else if (signal.aborted) await asking.withdraw()
      throw error
    } finally {
      cancelExpiry()
      signal.removeEventListener('abort', onAbort)
      this.#pending.delete(asking.id)
    }
  }

  /** Whether a run of this process waits for it. */
  has(id: PersonWait['id']): boolean {
    return this.#pending.has(id)
  }

  /** Delivers an answer once `write` is stored. Returns false if nothing in this process waits for it. */
  async settle<A>(
    id: PersonWait['id'],
    answer: A,
    write: (change: Change, run: LiveRun) => void,
  ): Promise<boolean> {
    const pending = this.#pending.get(id)
    if (!pending) return false
    const { run } = pending
    this.#pending.delete(id)
    let hasBegun = false
    try {
      await this.#deps.recorder.record(run.row.conversationId, (change) => {
        const waited = run.row
        hasBegun = true
        change.ifRefused(() => {
          this.#pending.set(id, pending) // still open, because the answer was not stored
          this.#waitOn(run, waited)
        })
        write(change, run)
        this.#goOn(change, run)
      })
    } catch (error) {
      if (!hasBegun) this.#pending.set(id, pending)
      throw error
    }
    pending.settle(answer as never)
    return true
  }

  async #enter(run: LiveRun, asking: PersonWait, settle: Pending['settle']): Promise<void> {
    const { id, waitingFor } = asking
    await this.#deps.recorder.record(run.row.conversationId, (change) => {
      const known = asking.known?.(change)
      if (known !== undefined) return settle(known as never)
      this.#pending.set(id, { run, waitingFor, settle })
      const length = this.#line(run.row.conversationId)
      if (run.row.status === 'running')
        changeRun(change, run, { ...state.waiting(waitingFor.what), waitingFor })
      asking.open(change, { position: length, of: length })
    })
    if (run.row.status === 'waiting') this.#deps.scheduler.release(run.row.id) // releases its slot while it waits
  }

  #line(conversationId: ConversationId): number {
    return [...this.#pending.values()].filter(({ run }) => run.row.conversationId === conversationId).length
  }

  /** Ensures that no wait lasts forever (invariant L1), even if the store refuses the first write. */
  #expireLater({ id, waitingFor, expire }: PersonWait): () => void {
    const { clock } = this.#deps
    const end = () => void expire().catch(again)
    const again = () => {
      // otherwise it has just been answered or stopped
      if (this.#pending.has(id)) cancel = clock.after(bounds.leaseRenewalMs, end)
    }
    let cancel = clock.after(Math.max(0, waitingFor.until - clock.now()), end)
    return () => cancel()
  }

  /** The end of the wait was not stored: the run waits again, without a slot. */
  #waitOn(run: LiveRun, waited: LiveRun['row']): void {
    run.held.goBackTo(waited)
    if (waited.status === 'waiting') this.#deps.scheduler.release(run.row.id)
  }

  /** Continues to wait for the run's other questions; without any, the run resumes. */
  #goOn(change: Change, run: LiveRun): void {
    const { status, reason } = run.row
    if (run.stop || status !== 'waiting' || !(reason === 'approval' || reason === 'question')) return
    const next = [...this.#pending.values()].find((pending) => pending.run === run)?.waitingFor
    if (next) waitFor(change, run, next)
    else endWait(change, this.#deps, run)
  }
}

/** Keeps the run waiting, for something else. */
function waitFor(change: Change, run: LiveRun, waitingFor: WaitingFor): void {
  if (run.row.waitingFor === waitingFor) return
  change.tx.update('runs', run.row.id, { reason: waitingFor.what, waitingFor })
  run.held.waitFor(waitingFor)
  change.event(runEvent(run, 'run.waiting', change.at, { from: 'waiting' }))
}
