import { contextMessage, type ContextMessage } from '../core/build-context.ts'
import { isStoreError, OffshootError } from '../core/errors.ts'
import { foldResults } from '../core/inner-calls.ts'
import { AT_LIMIT } from '../core/report/answer-texts.ts'
import { callsOf, textOf } from '../core/message.ts'
import { ignoreLateRejection } from '../core/rejections.ts'
import type { ToolSchema } from '../model/port.ts'
import { toolSchema } from '../tools/tool-schema.ts'
import { concludedReport } from './concluded-report.ts'
import { cutNote, emptyAnswer, failedBy, isCut, isRefused, refusalOf, type Cut } from './answer-outcome.ts'
import { askModel, isTooLong, notShortened, windowError, type StoredAnswer } from './ask-model.ts'
import { Channel } from './channel.ts'
import { executeTools } from './execute-tools.ts'
import { InputEstimate } from './input-estimate.ts'
import { fewTurnsLeft, NO_TEXT, noTurnsLeft, TO_FOLLOW } from './instructions.ts'
import type {
  Answer,
  Emit,
  LiveEvent,
  LoopPorts,
  Outcome,
  OwnStop,
  Reached,
  Report,
  RunInput,
  TurnText,
} from './ports.ts'
import { partialReport } from './partial-report.ts'
import { Repeats } from './repeats.ts'
import { checkBudget, BudgetReached } from './check-budget.ts'
import { createWatchdog, whileSuspended, whyStopped, type Watchdog } from './watchdog.ts'

/**
 * Drives one run, main or subagent, from its context to its outcome. Yields live facts; durable ones go to the journal.
 * Failures of models, tools and providers become part of the outcome. @throws the store's errors.
 */
export async function* runAgent(input: RunInput, ports: LoopPorts): AsyncGenerator<LiveEvent, Outcome> {
  const live = new Channel<LiveEvent>()
  const outcome = drive(input, ports, (event) => live.push(event)).finally(() => live.close())
  ignoreLateRejection(outcome) // returned below
  for (let events = await live.take(); events; events = await live.take()) {
    for (const event of events) yield event
  }
  return await outcome
}

async function drive(input: RunInput, ports: LoopPorts, emit: Emit): Promise<Outcome> {
  let own: OwnStop | undefined
  const watchdog = createWatchdog(ports.clock, input.limits, (why) => {
    if (!ports.signal.aborted) own = why
    ports.stop(why)
  })
  ports.timed?.(watchdog.leftMs)
  const loop = new Loop(input, ports, watchdog, emit)
  try {
    return await loop.run()
  } catch (error) {
    if (isStoreError(error)) throw error
    if (ports.signal.aborted)
      return {
        type: 'stopped',
        reason: ports.signal.reason,
        report: own ? loop.reportAt(whyStopped(own, input.limits)) : loop.report('the run was stopped'),
      }
    if (error instanceof BudgetReached) return loop.spent(error.reached)
    const failed = failedBy(error)
    if (!failed) throw error
    return { type: 'failed', ...failed, report: loop.report('the run failed') }
  } finally {
    watchdog.end()
  }
}

/** With these turns left, a run is told to conclude; a limit of no more turns is only in the system text. */
const LAST_TURNS = 2

/** Fractions of the context window: nearly full, and the growth before the next compaction. */
const FULL = 0.8
const LATER = 0.05

class Loop {
  readonly #input: RunInput
  readonly #ports: LoopPorts
  readonly #watchdog: Watchdog
  readonly #emit: Emit
  readonly #context: ContextMessage[]
  readonly #schemas: readonly ToolSchema[]
  #repeats: Repeats
  readonly #size: InputEstimate
  /** Tokens of the context as the last compaction left it. */
  #tried = 0
  /** Why the last compaction came to nothing. */
  #unshortened: string | null = null
  #turn: number
  /** The texts of its turns. */
  readonly #said: TurnText[]
  /** The text of an answer that ends the run, unless there is more to read. */
  #conclusion: TurnText | undefined
  #roomInBudget: number | undefined
  /** The next text goes on where the one before was cut. */
  #goesOn: boolean
  /** The text of a request that was cut, until one is whole: the report of a run that ends there. */
  #cut: TurnText | undefined

  constructor(input: RunInput, ports: LoopPorts, watchdog: Watchdog, emit: Emit) {
    this.#input = input
    this.#ports = ports
    this.#watchdog = watchdog
    this.#emit = emit
    this.#context = [...input.context]
    this.#schemas = ports.tools.list().map(toolSchema)
    this.#repeats = new Repeats(input.maxIdenticalCalls)
    this.#repeats.replay(input.left?.lastCalls ?? [])
    this.#size = new InputEstimate(this.#schemas)
    const last = input.context.findLastIndex(({ role }) => role === 'assistant')
    if (input.measured && last >= 0) this.#size.answered(input.measured, input.context.slice(0, last + 1))
    this.#turn = input.turns
    this.#said = [...(input.left?.texts ?? [])]
    this.#goesOn = input.left?.goesOn === true
  }

  async run(): Promise<Outcome> {
    const open = this.#input.left?.open
    if (!open) await this.#warn()
    let outcome = open && (await this.#goOn(open))
    while (!outcome && this.#turn < this.#input.limits.maxTurns) {
      this.#ports.beforeTurn()
      checkBudget(this.#ports)
      await this.#remindOfLimit()
      const { answer, stored } = await this.#ask('auto')
      outcome = await this.#endTurn(answer, stored)
    }
    return outcome ?? this.#atLimit(await this.#conclude(noTurnsLeft(this.#input.limits.maxTurns)))
  }

  /** What an earlier attempt left of its last turn: its calls, or the end; after a conclusion there is only that. */
  async #goOn(open: Answer): Promise<Outcome | undefined> {
    const isUnanswered = (text: string) => this.#isUnanswered(text)
    const atLimit = isUnanswered(noTurnsLeft(this.#input.limits.maxTurns))
    const isOver = atLimit || isUnanswered(NO_TEXT)
    this.#take(open)
    this.#size.answered(open.usage, this.#context)
    if (!isOver) return await this.#endTurn(open, Promise.resolve())
    this.#conclusion = this.#textIn(open)
    return atLimit ? this.#atLimit(open) : this.#concluded(open)
  }

  /** Runs the calls of an answer. Without any, and with nothing more to read, it was the last one. */
  async #endTurn(answer: Answer, stored: Promise<void>): Promise<Outcome | undefined> {
    const refused = this.#refused(answer)
    if (refused) {
      await stored
      return refused
    }
    if (callsOf(answer.parts).length === 0) {
      await stored
      if (isCut(answer.end)) return await this.#afterCut(answer.end)
      if (await this.#isToFollow(answer)) return undefined
      this.#conclusion = this.#textIn(answer)
      const more = await this.#readBeforeEnd()
      if (more.length === 0) return await this.#finish(answer)
      this.#conclusion = undefined
      this.#read(more)
      return undefined
    }
    const executed = executeTools(answer, this.#ports, {
      watchdog: this.#watchdog,
      repeats: this.#repeats,
      emit: this.#emit,
    })
    const [, results] = await Promise.all([stored, executed])
    this.#context.push({ role: 'tool', parts: foldResults(callsOf(answer.parts), results) })
    if (this.#ports.signal.aborted) throw this.#ports.signal.reason
    const { circle } = this.#repeats
    if (circle)
      return {
        type: 'limit',
        why: 'stall',
        report: this.reportAt(circle),
        finishReason: answer.end.reason,
      }
    await this.#warn()
    const said = await this.#ports.journal.steers()
    if (said.length > 0) this.#repeats = new Repeats(this.#input.maxIdenticalCalls) // what is done now may be asked for
    this.#read(said)
    return undefined
  }

  /** An answer that promises a call and has none goes on, once in a row: some servers end every answer so. */
  async #isToFollow({ end }: Answer): Promise<boolean> {
    const before = this.#context.findLast(({ role }) => role !== 'assistant')
    const isAgain = before !== undefined && textOf(before.parts) === TO_FOLLOW
    if (end.reason !== 'tool_calls' || isAgain) return false
    await this.#instruct(TO_FOLLOW)
    return true
  }

  /** What is stored of a report has no envelope: the model gets one. */
  #read(messages: readonly ContextMessage[]): void {
    this.#context.push(...messages.map(contextMessage).filter(({ parts }) => parts.length > 0))
  }

  /**
   * Once, two turns before the limit. An earlier attempt may have said it already. A text that goes on where it was cut is
   * not asked to conclude at the same time.
   */
  async #remindOfLimit(): Promise<void> {
    const { maxTurns } = this.#input.limits
    if (this.#turn !== maxTurns - LAST_TURNS || this.#turn < 1 || this.#goesOn) return
    await this.#instruct(fewTurnsLeft(LAST_TURNS, maxTurns))
  }

  async #warn(): Promise<void> {
    const warning = this.#repeats.warning()
    if (warning) await this.#instruct(warning)
  }

  /** Tells the model something, unless an earlier attempt has and nothing came of it. */
  async #instruct(text: string): Promise<void> {
    if (!this.#isUnanswered(text)) this.#context.push(await this.#ports.journal.instruct(text))
  }

  #isUnanswered(text: string): boolean {
    const unanswered = this.#context.slice(this.#context.findLastIndex(({ role }) => role !== 'user') + 1)
    return unanswered.some(({ parts }) => textOf(parts) === text)
  }

  async #readBeforeEnd(): Promise<readonly ContextMessage[]> {
    const more = await whileSuspended(this.#watchdog, 'itself', () => this.#ports.beforeEnd(this.report()))
    await whileSuspended(this.#watchdog, 'slot', this.#ports.untilSlot)
    return more
  }

  /** The conclusion; without one the texts of the turns. Where there is none, `end` says how it came to that. */
  report(end = 'the model ended'): Report {
    if (this.#conclusion) return concludedReport(this.#said, this.#conclusion)
    return this.#cut ? partialReport([...this.#said, this.#cut], end, 'cut') : partialReport(this.#said, end)
  }

  /** A cap of tokens or money is reached: the report so far, with the figures. */
  spent({ why, note }: Reached): Outcome {
    return { type: 'limit', why, report: this.reportAt(note) }
  }

  /** The report so far of a run that is paused, and why it is. */
  reportAt(why: string): Report {
    const { note, ...report } = this.report('the run was paused')
    return { ...report, note: note ? `${why}; ${note}` : why }
  }

  /** No calls: the run is done. Without a text in its last answer, one request for a conclusion. */
  async #finish(answer: Answer): Promise<Outcome> {
    if (!this.#conclusion) return this.#concluded(await this.#conclude(NO_TEXT))
    return { type: 'completed', report: this.report(), finishReason: answer.end.reason }
  }

  /** With the conclusion of a run whose last answer had no text. What it said before is no conclusion. */
  #concluded(answer: Answer): Outcome {
    const { reason: finishReason } = answer.end
    const ended = this.#refused(answer) ?? (isCut(answer.end) ? this.#cutOff(answer.end) : undefined)
    if (ended) return ended
    const report = this.report()
    if (this.#conclusion) return { type: 'completed', report, finishReason }
    return { type: 'failed', error: emptyAnswer(answer, this.#ports), report, finishReason }
  }

  /** With the conclusion of a run that has used its turns. */
  #atLimit(answer: Answer): Outcome {
    const { end } = answer
    const report = isCut(end) ? this.reportAt(cutNote(end)) : this.report()
    return this.#refused(answer) ?? { type: 'limit', why: 'max_turns', report, finishReason: end.reason }
  }

  /** What a provider ended for its own reasons is no answer, whatever there is of it; none of its calls is run. */
  #refused(answer: Answer): Outcome | undefined {
    const { end } = answer
    const error = refusalOf(answer, this.#ports)
    if (!error || !isRefused(end)) return undefined
    const isLast = this.#said.at(-1)?.messageId === answer.messageId
    const report = partialReport(this.#said, 'the provider ended its answer', isLast ? end.reason : undefined)
    return { type: 'failed', error, report, finishReason: end.reason }
  }

  /** An answer that is shorter for want of budget goes on where it was cut, as soon as there is more. */
  async #afterCut(end: Cut): Promise<Outcome | undefined> {
    if (!this.#isShort(end) || this.#ports.budget.reached()) return this.#cutOff(end)
    await this.#instruct(AT_LIMIT)
    this.#goesOn = true
    return undefined
  }

  #isShort({ reason }: Cut): boolean {
    return this.#roomInBudget !== undefined && reason === 'max_output_tokens'
  }

  /** Where the budget left no room for a longer answer, that is why it was cut. */
  #cutOff(end: Cut): Outcome {
    const note = `the budget left room for ${this.#roomInBudget} tokens of its last answer`
    const short = this.#isShort(end) ? ({ why: 'budget', note } as const) : undefined
    const reached = this.#ports.budget.reached() ?? short
    if (reached) return { ...this.spent(reached), finishReason: end.reason }
    return { type: 'limit', why: end.reason, report: this.reportAt(cutNote(end)), finishReason: end.reason }
  }

  async #conclude(instruction: string): Promise<Answer> {
    checkBudget(this.#ports)
    await this.#instruct(instruction)
    const { answer, stored } = await this.#ask('none')
    this.#conclusion = this.#textIn(answer)
    await stored
    return answer
  }

  async #ask(toolChoice: 'auto' | 'none'): Promise<StoredAnswer> {
    await this.#makeRoom()
    if (toolChoice === 'auto') this.#turn++
    const asked = await this.#send(toolChoice).catch(async (error: unknown) => {
      if (!(await this.#shortened(error))) throw this.#windowError(error)
      return await this.#send(toolChoice).catch((again: unknown) => {
        throw this.#windowError(again)
      })
    })
    const { answer } = asked
    this.#roomInBudget = asked.room
    this.#cut = undefined
    this.#take(answer)
    this.#goesOn = false
    this.#size.answered(answer.usage, this.#context)
    return asked
  }

  async #send(toolChoice: 'auto' | 'none'): Promise<StoredAnswer> {
    const { agent, depth } = this.#input
    const request = { messages: this.#context, tools: this.#schemas, toolChoice, agent, depth }
    const onCut = (reader: Pick<Answer, 'messageId' | 'parts'>) => (this.#cut = this.#textIn(reader))
    return await askModel(request, this.#ports, {
      turn: this.#turn,
      size: this.#size,
      watchdog: this.#watchdog,
      emit: this.#emit,
      onCut,
    }).catch((error: unknown) => {
      if (error instanceof BudgetReached && toolChoice === 'auto') this.#turn-- // it was not asked
      throw error
    })
  }

  /** Whether the context is shorter now that the provider has refused it as too long. */
  async #shortened(error: unknown): Promise<boolean> {
    return isTooLong(error) && (await this.#compact(this.#size.tokens(this.#context), true))
  }

  /** That the context does not fit, and why it could not be made shorter; any other error is itself. */
  #windowError(error: unknown): unknown {
    const known = windowError(error)
    const isWindow = known instanceof OffshootError && known.code === 'window'
    return isWindow && this.#unshortened ? notShortened(known, this.#unshortened) : known
  }

  /** Near the end of the window the oldest turns become a summary; where that fails, the next try is a while later. */
  async #makeRoom(): Promise<void> {
    const { window } = this.#ports.model.info
    if (window === null) return
    const tokens = this.#size.tokens(this.#context)
    if (tokens > Math.max(window * FULL, this.#tried + window * LATER)) await this.#compact(tokens, false)
  }

  async #compact(tokens: number, isRefused: boolean): Promise<boolean> {
    const { compact } = this.#ports
    if (!compact) return false
    const compacted = await whileSuspended(this.#watchdog, 'itself', () => compact(tokens, isRefused))
    const isDone = 'context' in compacted
    if (isDone) this.#context.splice(0, this.#context.length, ...compacted.context)
    this.#unshortened = isDone ? null : compacted.why
    this.#tried = this.#size.tokens(this.#context)
    return isDone
  }

  #take(answer: Answer): void {
    const said = this.#textIn(answer)
    // what an earlier attempt left of its last turn is among the texts that it left
    if (said && this.#said.at(-1)?.messageId !== said.messageId) this.#said.push(said)
    const message = contextMessage({ role: 'assistant', parts: answer.parts })
    if (message.parts.length > 0) this.#context.push(message)
  }

  /** `end`: none of a request that was cut. */
  #textIn({ messageId, parts, end }: Said): TurnText | undefined {
    const text = textOf(parts)
    if (text.trim() === '') return undefined
    const goesOn = this.#goesOn && !(end && isRefused(end))
    const { origin } = this.#input.left ?? {}
    const after = goesOn && origin && this.#said.length === 0 ? { after: origin } : {}
    return { messageId, text, turn: this.#turn, ...(goesOn ? { goesOn, ...after } : {}) }
  }
}

/** An answer, or what a cut request had said, which has no end. */
type Said = Pick<Answer, 'messageId' | 'parts'> & Partial<Pick<Answer, 'end'>>
