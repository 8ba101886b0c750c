import { parseRun } from '../../core/run-steps.ts'
import { OffshootError } from '../../core/errors.ts'
import type { CallId, ConversationId, QuestionId } from '../../core/ids.ts'
import type { Question } from '../../core/run.ts'
import { titleLine } from '../../tools/define-tool.ts'
import { ToolError, type PersonQuestion } from '../../tools/port.ts'
import type { AskPersonDeps } from './approvals.ts'
import { nextAskNumber } from './ask-numbers.ts'
import { agentPath, eventScope, type HasRow, type LiveRun } from '../run/live-run.ts'
import type { LinePlace } from './person-waits.ts'
import type { Change } from '../log/recorder.ts'

export interface QuestionAnswer {
  /** null: the person gave no answer. */
  readonly text: string | null
  readonly by: string
}

interface QuestionDeps extends AskPersonDeps {
  readonly attended: (id: ConversationId) => boolean
}

/** Questions of agents to a person (`ask_user`). The first answer counts; later ones are refused. */
export class Questions {
  readonly #deps: QuestionDeps

  constructor(deps: QuestionDeps) {
    this.#deps = deps
  }

  /**
   * Puts the run in `waiting(question)` and returns the answer. A question of an exited process keeps its id. Rejects
   * with the run's stop reason if it is stopped first. @throws ToolError `unattended`, `expired`, `no_answer`.
   */
  async ask(run: LiveRun, callId: CallId, asked: PersonQuestion): Promise<string> {
    const { clock, config, waits, newId, attended } = this.#deps
    const known = run.resumed ? this.#asked(callId) : undefined
    const answered = answerIn(known)
    if (answered) return textOf(answered)
    if (!known && !attended(run.row.conversationId)) throw unattended()
    const since = clock.now()
    const until = (known?.askedAt ?? since) + config.limits.approvalMs
    const id = known?.id ?? newId('que')
    const answer = await waits.until<QuestionAnswer>(run, {
      id,
      callId,
      waitingFor: { what: 'question', detail: titleLine(asked.question), since, until },
      known: ({ tx }) => answerIn(tx.get('questions', id)),
      open: (change, line) =>
        this.#open(change, run, known ?? newQuestion(run, asked, { id, callId, askedAt: change.at }), line),
      expire: () => this.answer(id, { text: null, by: BY_TIME }),
      withdraw: async () => void (await this.#settle(id, WITHDRAWN)),
    })
    return textOf(answer)
  }

  /**
   * `also` joins the change that stores the answer. If no process drives the run, the answer is kept until one does.
   * @throws OffshootError `not_found`; `conflict` with who answered before, and when.
   */
  async answer(id: QuestionId, given: QuestionAnswer, also?: (change: Change) => void): Promise<void> {
    // it may start to wait while the answer is being stored
    while (!(await this.#settle(id, given, also)) && !(await this.#answerStored(id, given, also)));
  }

  /** Returns false if a run has started to wait for it. */
  async #answerStored(
    id: QuestionId,
    given: QuestionAnswer,
    also?: (change: Change) => void,
  ): Promise<boolean> {
    const { store, recorder, waits } = this.#deps
    const known = store.get('questions', id)
    if (!known) throw new OffshootError('not_found', `there is no question ${id}`, { hint: WHERE })
    return await recorder.record(known.conversationId, (change) => {
      if (waits.has(id)) return false
      const open = change.tx.get('questions', id)
      if (!open) throw new OffshootError('not_found', `there is no question ${id}`, { hint: WHERE })
      if (open.answeredAt !== null) throw alreadyAnswered(open)
      this.#writeAnswer(change, { row: parseRun(change.tx.get('runs', open.runId)!) }, open, given)
      also?.(change)
      return true
    })
  }

  /** Closes questions of an exited process if their run does not resume. */
  withdrawLeft(change: Change, run: HasRow): void {
    for (const open of change.tx.find('questions', { where: { runId: run.row.id, answeredAt: null } }))
      this.#writeAnswer(change, run, open, WITHDRAWN)
  }

  /** The question of an earlier attempt; excludes questions withdrawn by a stop. */
  #asked(callId: CallId): Question | undefined {
    const last = { orderBy: 'id', descending: true, limit: 1 } as const
    const asked = this.#deps.store.find('questions', { where: { callId }, ...last })[0]
    return asked?.answeredBy === WITHDRAWN.by ? undefined : asked
  }

  #settle(id: QuestionId, given: QuestionAnswer, also?: (change: Change) => void): Promise<boolean> {
    return this.#deps.waits.settle(id, given, (change, run) => {
      this.#writeAnswer(change, run, change.tx.get('questions', id)!, given)
      also?.(change)
    })
  }

  #open(change: Change, run: LiveRun, row: NewQuestion, line: LinePlace): void {
    const { id, conversationId, callId, question, options, path } = row
    const known = change.tx.get('questions', id)
    const number = known?.number ?? nextAskNumber(change.tx, conversationId)
    if (!known) change.tx.insert('questions', { ...row, number })
    const said = { questionId: id, number, callId, question, options: [...options], path: [...path], ...line }
    change.event({ type: 'question.asked', ...eventScope(run, change.at), ...said })
  }

  #writeAnswer(change: Change, run: HasRow, { id, callId }: Question, { text, by }: QuestionAnswer): void {
    change.tx.update('questions', id, { answer: text, answeredBy: by, answeredAt: change.at })
    change.event({
      type: 'question.answered',
      ...eventScope(run, change.at),
      questionId: id,
      callId,
      text,
      by,
    })
  }
}

const BY_TIME = 'time limit'
const WITHDRAWN: QuestionAnswer = { text: null, by: 'stop' }

const WHERE = 'offshoot ps shows which runs wait for an answer'

/** The number is assigned when it is stored. */
type NewQuestion = Omit<Question, 'number'>

function newQuestion(
  run: LiveRun,
  { question, options }: PersonQuestion,
  { id, callId, askedAt }: Pick<Question, 'id' | 'callId' | 'askedAt'>,
): NewQuestion {
  const { conversationId, branchId, id: runId } = run.row
  const open = { answer: null, answeredBy: null, answeredAt: null }
  const at = { conversationId, branchId, runId, callId, path: agentPath(run), askedAt }
  return { id, ...at, question, options, ...open }
}

function textOf({ text, by }: QuestionAnswer): string {
  if (text !== null) return text
  if (by === BY_TIME)
    throw new ToolError('expired', 'nobody answered in time', 'Go on with what you think best, and say so.')
  throw new ToolError('no_answer', `${by} gave no answer`, 'Go on with what you think best, and say so.')
}

function answerIn(asked: Question | undefined): QuestionAnswer | undefined {
  return asked && asked.answeredAt !== null ? { text: asked.answer, by: asked.answeredBy! } : undefined
}

function unattended(): ToolError {
  return new ToolError(
    'unattended',
    'nobody can answer here (unattended)',
    'Go on with what you think best, and say so, or say what is needed.',
  )
}

function alreadyAnswered({ answer, answeredBy, answeredAt }: Question): OffshootError {
  const what = answer === null ? 'closed without an answer' : `answered: ${answer.slice(0, 200)}`
  const when = new Date(answeredAt ?? 0).toISOString()
  return new OffshootError('conflict', `already ${what}, by ${answeredBy}, ${when}`)
}
