import type { ApprovalId, CallId, NewId } from '../core/ids.ts'
import { OffshootError } from '../core/errors.ts'
import type { Limits } from '../core/limits.ts'
import type { Approval, ApprovalAnswer } from '../core/run.ts'
import { state } from '../core/run-status.ts'
import type { StartedCall } from '../loop/ports.ts'
import type { Grant } from '../permissions/types.ts'
import type { Reader } from '../store/port.ts'
import { enterWait } from './child-waits.ts'
import { changeRun, place, type LiveRun } from './live-run.ts'
import type { Change, Recorder } from './recorder.ts'
import { endWait, untilRunning, type SlotDeps } from './slots.ts'

/** What is asked, and in which words it is shown. */
export type Question = Pick<Approval, 'detail' | 'directory' | 'rule'> & {
  readonly call: Pick<StartedCall, 'part' | 'tool' | 'title'>
  /** What "always" would grant. */
  readonly grant: Grant | null
}

export interface Answered {
  readonly answer: ApprovalAnswer
  readonly by: string
  readonly note?: string
}

interface ApprovalDeps extends SlotDeps {
  readonly config: { readonly limits: Pick<Limits, 'approvalMs'> }
  readonly newId: NewId
  readonly store: Reader
}

interface Pending {
  readonly run: LiveRun
  readonly settle: (answered: Answered) => void
}

/** The open questions of this process, whatever depth they come from; each is answered once (A2). */
export class Approvals {
  readonly #deps: ApprovalDeps
  readonly #recorder: Recorder
  readonly #newId: NewId
  readonly #store: Reader
  readonly #pending = new Map<ApprovalId, Pending>()
  #surfaces = 0

  constructor(deps: ApprovalDeps) {
    this.#deps = deps
    this.#recorder = deps.recorder
    this.#newId = deps.newId
    this.#store = deps.store
  }

  /** Whether somebody who can answer is connected (permissions.md, Approvals). */
  get attended(): boolean {
    return this.#surfaces > 0
  }

  /** A surface that can answer is there until the returned function is called. */
  attend(): () => void {
    this.#surfaces++
    let here = true
    return () => {
      if (here) this.#surfaces--
      here = false
    }
  }

  /** What an earlier attempt asked about a call, and perhaps the answer; not what a stop has withdrawn. */
  asked(callId: CallId): Approval | undefined {
    const last = { orderBy: 'id', descending: true, limit: 1 } as const
    const asked = this.#store.find('approvals', { where: { callId }, ...last })[0]
    return asked?.answeredBy === BY_STOP ? undefined : asked
  }

  /** Puts the run in `waiting(approval)` until the answer. Rejects with the run's stop reason when it is stopped first. */
  async ask(run: LiveRun, question: Question): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>()
    const { signal } = run.controller
    signal.throwIfAborted()
    const asked = run.resumed ? this.asked(question.call.part.callId) : undefined
    if (asked?.answer) return { answer: asked.answer, by: asked.answeredBy!, note: asked.note ?? '' }
    const id = asked?.id ?? this.#newId('apr')
    const onAbort = () => reject(signal.reason)
    let cancelExpiry = () => {}
    try {
      await this.#request(id, run, question, resolve, asked)
      if (run.row.status === 'waiting') this.#deps.scheduler.leave(run.row.id) // its place is free while it waits
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
      cancelExpiry = this.#expireLater(id)
      const answered = await promise
      await untilRunning(this.#deps, run)
      await enterWait(this.#deps, run) // all else of the turn may wait for children by now
      return answered
    } catch (error) {
      if (signal.aborted) await this.#withdraw(id)
      throw error
    } finally {
      cancelExpiry()
      signal.removeEventListener('abort', onAbort)
      this.#pending.delete(id)
    }
  }

  /**
   * `also` goes into the change that holds the answer. A question of a run that no process drives keeps its answer until
   * one does (R2). @throws OffshootError `not_found`, or `conflict` that says who answered before, and when.
   */
  async answer(id: ApprovalId, answered: Answered, also?: (change: Change) => void): Promise<void> {
    const pending = this.#pending.get(id)
    if (!pending) return await this.#answerStored(id, answered, also)
    this.#pending.delete(id)
    try {
      await this.#write(pending.run, id, answered, also)
    } catch (error) {
      this.#pending.set(id, pending) // it was not answered, and still can be
      throw error
    }
    pending.settle(answered)
  }

  async #answerStored(id: ApprovalId, answered: Answered, also?: (change: Change) => void): Promise<void> {
    const known = this.#store.get('approvals', id)
    if (!known) throw new OffshootError('not_found', `there is no approval ${id}`, { hint: WHERE })
    await this.#recorder.record(known.conversationId, (change) => {
      const open = change.tx.get('approvals', id)
      if (!open) throw new OffshootError('not_found', `there is no approval ${id}`, { hint: WHERE })
      if (open.answer) throw alreadyAnswered(open)
      this.#writeAnswer(change, { row: change.tx.get('runs', open.runId)! }, id, answered)
      also?.(change)
    })
  }

  /** A question does not wait for ever (L1). */
  #expireLater(id: ApprovalId): () => void {
    const { clock, config } = this.#deps
    const { approvalMs } = config.limits
    const note = `nobody answered within ${approvalMs / 1_000} s (expired)`
    return clock.after(approvalMs, () => {
      this.answer(id, { answer: 'deny', by: 'time limit', note }).catch(() => {}) // answered, or stopped, just now
    })
  }

  /** A run that stops asks nothing any more; its question is closed, so that nobody sees it open. */
  async #withdraw(id: ApprovalId): Promise<void> {
    const pending = this.#pending.get(id)
    if (!pending || !this.#pending.delete(id)) return
    await this.#write(pending.run, id, { answer: 'deny', by: BY_STOP, note: 'the run was stopped' })
  }

  /** The same for a run that a process left and that does not go on. */
  withdrawLeft(change: Change, run: Pick<LiveRun, 'row'>): void {
    for (const { id } of change.tx.find('approvals', { where: { runId: run.row.id, answer: null } }))
      this.#writeAnswer(change, run, id, { answer: 'deny', by: BY_STOP, note: 'the run was stopped' })
  }

  #write(run: LiveRun, id: ApprovalId, answered: Answered, also?: (change: Change) => void): Promise<void> {
    return this.#recorder.record(run.row.conversationId, (change) => {
      this.#writeAnswer(change, run, id, answered)
      const others = [...this.#pending.values()].some((pending) => pending.run === run)
      if (!others && !run.stop && run.row.status === 'waiting' && run.row.reason === 'approval')
        endWait(change, this.#deps, run)
      also?.(change)
    })
  }

  async #request(
    id: ApprovalId,
    run: LiveRun,
    { call, grant, ...question }: Question,
    settle: Pending['settle'],
    asked: Approval | undefined,
  ): Promise<void> {
    const { conversationId, branchId, id: runId } = run.row
    const about = { callId: call.part.callId, tool: call.tool.name, title: call.title }
    const open = { answer: null, answeredBy: null, note: null, answeredAt: null }
    await this.#recorder.record(conversationId, (change) => {
      const approval: Approval = asked ?? {
        id,
        conversationId,
        branchId,
        runId,
        path: agentPath(run),
        ...about,
        ...question,
        ...open,
        requestedAt: change.at,
      }
      run.journal!.writeAwaiting(change, call)
      if (!asked) change.tx.insert('approvals', approval)
      this.#pending.set(id, { run, settle })
      const line = [...this.#pending.values()].filter(
        (each) => each.run.row.conversationId === conversationId,
      )
      const waitingFor = { what: 'approval' as const, detail: approval.title, since: change.at }
      if (run.row.status === 'running') changeRun(change, run, state.waiting('approval'), { waitingFor })
      change.event({
        type: 'approval.requested',
        ...place(run, change.at),
        ...shown(approval),
        grant,
        position: line.length,
        of: line.length,
      })
    })
  }

  #writeAnswer(
    change: Change,
    run: Pick<LiveRun, 'row'>,
    id: ApprovalId,
    { answer, by, note }: Answered,
  ): void {
    change.tx.update('approvals', id, { answer, answeredBy: by, note: note ?? null, answeredAt: change.at })
    change.event({
      type: 'approval.answered',
      ...place(run, change.at),
      approvalId: id,
      answer,
      by,
      ...(note ? { note } : {}),
    })
  }
}

const BY_STOP = 'stop'

const WHERE = 'offshoot ps shows which runs wait for an answer'

function alreadyAnswered({ answer, answeredBy, answeredAt }: Approval): OffshootError {
  const when = new Date(answeredAt ?? 0).toISOString()
  return new OffshootError('conflict', `already answered: ${answer}, by ${answeredBy}, ${when}`)
}

function agentPath(run: LiveRun): string[] {
  return run.parent ? [...agentPath(run.parent), run.row.agent] : [run.row.agent]
}

function shown({ id, callId, tool, title, detail, directory, path, rule }: Approval) {
  return { approvalId: id, callId, tool, title, detail, directory, path: [...path], rule }
}
