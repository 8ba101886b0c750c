import type { ApprovalId, NewId } from '../core/ids.ts'
import { OffshootError } from '../core/errors.ts'
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

  /** Puts the run in `waiting(approval)` until the answer. Rejects with the run's stop reason when it is stopped first. */
  async ask(run: LiveRun, question: Question): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>()
    const { signal } = run.controller
    signal.throwIfAborted()
    const id = this.#newId('apr')
    const onAbort = () => reject(signal.reason)
    try {
      await this.#request(id, run, question, resolve)
      if (run.row.status === 'waiting') this.#deps.scheduler.leave(run.row.id) // its place is free while it waits
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
      const answered = await promise
      await untilRunning(this.#deps, run)
      await enterWait(this.#deps, run) // all else of the turn may wait for children by now
      return answered
    } catch (error) {
      if (signal.aborted) await this.#withdraw(id)
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#pending.delete(id)
    }
  }

  /** @throws OffshootError `not_found`, or `conflict` that says who answered before, and when. */
  async answer(id: ApprovalId, answered: Answered): Promise<void> {
    const pending = this.#pending.get(id)
    if (!pending) throw this.#notOpen(id)
    this.#pending.delete(id)
    try {
      await this.#write(pending.run, id, answered)
    } catch (error) {
      this.#pending.set(id, pending) // it was not answered, and still can be
      throw error
    }
    pending.settle(answered)
  }

  #notOpen(id: ApprovalId): OffshootError {
    const known = this.#store.get('approvals', id)
    if (!known?.answer || known.answeredAt === null)
      return new OffshootError('not_found', `no open approval ${id}`)
    const { answer, answeredBy, answeredAt } = known
    const when = new Date(answeredAt).toISOString()
    return new OffshootError('conflict', `already answered: ${answer}, by ${answeredBy}, ${when}`)
  }

  /** A run that stops asks nothing any more; its question is closed, so that nobody sees it open. */
  async #withdraw(id: ApprovalId): Promise<void> {
    const pending = this.#pending.get(id)
    if (!pending || !this.#pending.delete(id)) return
    await this.#write(pending.run, id, { answer: 'deny', by: 'stop', note: 'the run was stopped' })
  }

  #write(run: LiveRun, id: ApprovalId, answered: Answered): Promise<void> {
    return this.#recorder.record(run.row.conversationId, (change) =>
      this.#writeAnswer(change, run, id, answered),
    )
  }

  async #request(
    id: ApprovalId,
    run: LiveRun,
    { call, grant, ...question }: Question,
    settle: Pending['settle'],
  ): Promise<void> {
    const { conversationId, branchId, id: runId } = run.row
    const about = { callId: call.part.callId, tool: call.tool.name, title: call.title }
    const open = { answer: null, answeredBy: null, note: null, answeredAt: null }
    await this.#recorder.record(conversationId, (change) => {
      const approval: Approval = {
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
      change.tx.insert('approvals', approval)
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

  #writeAnswer(change: Change, run: LiveRun, id: ApprovalId, { answer, by, note }: Answered): void {
    change.tx.update('approvals', id, { answer, answeredBy: by, note: note ?? null, answeredAt: change.at })
    change.event({
      type: 'approval.answered',
      ...place(run, change.at),
      approvalId: id,
      answer,
      by,
      ...(note ? { note } : {}),
    })
    const others = [...this.#pending.values()].some((pending) => pending.run === run)
    if (!others && !run.stop && run.row.status === 'waiting' && run.row.reason === 'approval')
      endWait(change, this.#deps, run)
  }
}

function agentPath(run: LiveRun): string[] {
  return run.parent ? [...agentPath(run.parent), run.row.agent] : [run.row.agent]
}

function shown({ id, callId, tool, title, detail, directory, path, rule }: Approval) {
  return { approvalId: id, callId, tool, title, detail, directory, path: [...path], rule }
}
