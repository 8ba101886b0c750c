import { BY_STOP, BY_TIME_LIMIT } from '../../core/report/answerer-words.ts'
import { parseRun } from '../../core/run-steps.ts'
import type { ApprovalId, CallId, ConversationId, NewId } from '../../core/ids.ts'
import { OffshootError } from '../../core/errors.ts'
import type { Limits } from '../../core/limits.ts'
import type { Approval } from '../../core/run.ts'
import type { Clock } from '../../core/clock.ts'
import type { StartedCall } from '../../loop/ports.ts'
import type { Grant } from '../../permissions/types.ts'
import type { Reader } from '../../store/port.ts'
import { nextAskNumber } from './ask-numbers.ts'
import { grantOf, storeGrant, type Extent } from './grants.ts'
import { agentPath, eventScope, type HasRow, type LiveRun } from '../run/live-run.ts'
import type { LinePlace, PersonWaits } from './person-waits.ts'
import type { Change, Recorder } from '../log/recorder.ts'

/** The subject of an approval, and its display texts. */
export type Request = Pick<Approval, 'detail' | 'directory' | 'rule' | 'sandbox'> & {
  readonly call: Pick<StartedCall, 'part' | 'tool' | 'title'>
  /** What "always" would grant. */
  readonly grant: Grant | null
}

export interface Answered extends Extent {
  readonly by: string
  readonly note?: string
}

export interface AskPersonDeps {
  readonly config: { readonly limits: Pick<Limits, 'approvalMs'> }
  readonly clock: Clock
  readonly newId: NewId
  readonly store: Reader
  readonly recorder: Recorder
  readonly waits: PersonWaits
}

/** The open approvals of this process, from any depth. Each is answered once (invariant A2). */
export class Approvals {
  readonly #deps: AskPersonDeps
  readonly #recorder: Recorder
  readonly #newId: NewId
  readonly #store: Reader
  /** Per conversation, or for all. */
  readonly #surfaces = new Set<{ readonly conversationId: ConversationId | undefined }>()

  constructor(deps: AskPersonDeps) {
    this.#deps = deps
    this.#recorder = deps.recorder
    this.#newId = deps.newId
    this.#store = deps.store
  }

  /** Whether a connected surface can answer approvals of a conversation (docs/approvals.md). */
  attended(id: ConversationId): boolean {
    return [...this.#surfaces].some(({ conversationId = id }) => conversationId === id)
  }

  /** Registers a surface that can answer, for one conversation or all, until the returned function is called. */
  attend(conversationId?: ConversationId): () => void {
    const surface = { conversationId }
    this.#surfaces.add(surface)
    return () => void this.#surfaces.delete(surface)
  }

  /** What an earlier attempt asked about a call, perhaps with its answer; excludes asks withdrawn by a stop. */
  asked(callId: CallId): Approval | undefined {
    const last = { orderBy: 'id', descending: true, limit: 1 } as const
    const asked = this.#store.find('approvals', { where: { callId }, ...last })[0]
    return asked?.answeredBy === BY_STOP ? undefined : asked
  }

  /**
   * Puts the run in `waiting(approval)` until the answer. Rejects with the run's stop reason if it is stopped first.
   */
  async ask(run: LiveRun, { call, grant, ...request }: Request): Promise<Answered> {
    const asked = run.resumed ? this.asked(call.part.callId) : undefined
    const answered = answerIn(asked)
    if (answered) return answered
    const { clock, config, waits } = this.#deps
    const { approvalMs } = config.limits
    const id = asked?.id ?? this.#newId('apr')
    const since = clock.now()
    const until = (asked?.requestedAt ?? since) + approvalMs
    const note = `nobody answered within ${approvalMs / 1_000} s (expired)`
    const path = agentPath(run)
    return await waits.until<Answered>(run, {
      id,
      callId: call.part.callId,
      waitingFor: { what: 'approval', detail: call.title, since, until },
      known: ({ tx }) => answerIn(tx.get('approvals', id)),
      open: (change, line) => {
        const about = { callId: call.part.callId, tool: call.tool.name, title: call.title, path }
        const row = asked ?? newApproval(id, run, change.at, { ...about, ...request })
        const { sandbox = null } = request
        run.journal!.writeAwaiting(change, call)
        this.#open(change, run, { ...row, sandbox, offered: grant }, line)
      },
      expire: () => this.answer(id, { answer: 'deny', by: BY_TIME_LIMIT, note }),
      withdraw: async () => void (await this.#settle(id, WITHDRAWN)),
    })
  }

  /**
   * `also` joins the change that stores the answer. If no process drives the run, the answer is kept until one does.
   * @throws OffshootError `not_found`; `usage` for more than can be granted; `conflict` with who answered before, and
   * when.
   */
  async answer(id: ApprovalId, answered: Answered, also?: (change: Change) => void): Promise<void> {
    // it may start to wait while the answer is being stored
    while (!(await this.#settle(id, answered, also)) && !(await this.#answerStored(id, answered, also)));
  }

  #settle(id: ApprovalId, answered: Answered, also?: (change: Change) => void): Promise<boolean> {
    return this.#deps.waits.settle(id, answered, (change, run) => {
      this.#writeAnswer(change, run, change.tx.get('approvals', id)!, answered)
      also?.(change)
    })
  }

  /** Returns false if a run has started to wait for it. */
  async #answerStored(id: ApprovalId, answered: Answered, also?: (change: Change) => void): Promise<boolean> {
    const known = this.#store.get('approvals', id)
    if (!known) throw new OffshootError('not_found', `there is no approval ${id}`, { hint: WHERE })
    return await this.#recorder.record(known.conversationId, (change) => {
      if (this.#deps.waits.has(id)) return false
      const open = change.tx.get('approvals', id)
      if (!open) throw new OffshootError('not_found', `there is no approval ${id}`, { hint: WHERE })
      if (open.answer) throw alreadyAnswered(open)
      this.#writeAnswer(change, { row: parseRun(change.tx.get('runs', open.runId)!) }, open, answered)
      also?.(change)
      return true
    })
  }

  /** Closes approvals of an exited process if their run does not resume. */
  withdrawLeft(change: Change, run: HasRow): void {
    for (const row of change.tx.find('approvals', { where: { runId: run.row.id, answer: null } }))
      this.#writeAnswer(change, run, row, WITHDRAWN)
  }

  /** The current rules may offer another grant than the earlier approval did, and another process another sandbox. */
  #open(change: Change, run: LiveRun, approval: NewApproval, line: LinePlace): void {
    const { id, conversationId, offered = null, sandbox = null } = approval
    const known = change.tx.get('approvals', id)
    const number = known?.number ?? nextAskNumber(change.tx, conversationId)
    if (known) change.tx.update('approvals', id, { offered, sandbox })
    else change.tx.insert('approvals', { ...approval, number })
    change.event({
      type: 'approval.requested',
      ...eventScope(run, change.at),
      ...shown({ ...approval, number }),
      grant: offered,
      ...(sandbox ? { sandbox } : {}),
      ...line,
    })
  }

  #writeAnswer(change: Change, run: HasRow, asked: Approval, answered: Answered): void {
    const { answer, by, note = null, scope = 'conversation' } = answered
    const grant = grantOf(asked, answered)
    const { id, conversationId } = asked
    const now = { answer, answeredBy: by, note, answeredAt: change.at, ...(grant ? { offered: grant } : {}) }
    change.tx.update('approvals', id, now)
    const forGood = answer === 'always' && grant
    if (forGood) storeGrant(change, this.#newId, forGood, { conversationId, scope })
    change.event({
      type: 'approval.answered',
      ...eventScope(run, change.at),
      approvalId: id,
      answer,
      by,
      ...(note ? { note } : {}),
      ...(grant ? { grant } : {}),
      ...(forGood ? { scope } : {}),
    })
  }
}

function answerIn(asked: Approval | undefined): Answered | undefined {
  if (!asked?.answer) return undefined
  return { answer: asked.answer, by: asked.answeredBy!, note: asked.note ?? '' }
}

const WITHDRAWN: Answered = { answer: 'deny', by: BY_STOP, note: 'the run was stopped' }

const WHERE = 'offshoot ps shows which runs wait for an answer'

function alreadyAnswered({ answer, answeredBy, answeredAt }: Approval): OffshootError {
  const when = new Date(answeredAt ?? 0).toISOString()
  return new OffshootError('conflict', `already answered: ${answer}, by ${answeredBy}, ${when}`)
}

/** The number is assigned when it is stored. */
type NewApproval = Omit<Approval, 'number'>

function newApproval(
  id: ApprovalId,
  run: LiveRun,
  requestedAt: number,
  asked: Pick<Approval, 'callId' | 'tool' | 'title' | 'detail' | 'directory' | 'rule' | 'path' | 'sandbox'>,
): NewApproval {
  const { conversationId, branchId, id: runId } = run.row
  const unanswered = { answer: null, answeredBy: null, note: null, answeredAt: null }
  return { id, conversationId, branchId, runId, ...asked, ...unanswered, requestedAt }
}

function shown({ id, number, callId, tool, title, detail, directory, path, rule }: Approval) {
  return { approvalId: id, number, callId, tool, title, detail, directory, path: [...path], rule }
}
