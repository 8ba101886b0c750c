import type { ContextMessage } from '../../core/build-context.ts'
import type { Clock } from '../../core/clock.ts'
import type { CallId, MessageId, NewId } from '../../core/ids.ts'
import type { Part, ToolCallPart, ToolResultPart } from '../../core/message.ts'
import type { Run, WaitingFor } from '../../core/run.ts'
import { state } from '../../core/run-status.ts'
import { addCost, addUsage } from '../../core/usage.ts'
import { endMark } from '../../loop/answer-outcome.ts'
import type { Answer, EndedCall, Journal, StartedCall } from '../../loop/ports.ts'
import type { Reader } from '../../store/port.ts'
import type { Bus } from '../log/bus.ts'
import { CallBatch } from './call-batch.ts'
import { hasRun } from '../run/count-calls.ts'
import { deliverItems, nextRead, waitingItems } from '../run/inbox.ts'
import { changeRun, eventScope, runEvent, type LiveRun } from '../run/live-run.ts'
import { appendMessage } from '../run/messages.ts'
import type { Scheduler } from '../run/scheduler.ts'
import { endWait } from '../run/slots.ts'
import type { OpenTurn } from './open-turn.ts'
import type { PartialMessage } from '../run/partial-message.ts'
import type { Change, Recorder } from '../log/recorder.ts'
import { RunWrites } from './run-writes.ts'
import { StreamingMessage } from './streaming-message.ts'

export interface JournalPorts {
  readonly store: Reader
  readonly recorder: Recorder
  readonly bus: Bus
  readonly clock: Clock
  readonly newId: NewId
  readonly scheduler: Scheduler
  /** Writes the child of a `task` call in the transaction of its intent (invariant R2); some calls have no child. */
  readonly spawn: (change: Change, parent: LiveRun, call: StartedCall) => LiveRun | undefined
  /** Undoes a spawn that was not stored. */
  readonly unspawn: (child: LiveRun) => void
}

/** Writes one run: its answers, calls, results and figures. */
export class RunJournal implements Journal {
  readonly #run: LiveRun
  readonly #ports: JournalPorts
  readonly #writes: RunWrites
  #streaming: StreamingMessage | undefined
  /** As stored. */
  #limits: Run['limits']
  #batch: CallBatch | undefined
  readonly #counted = new Set<CallId>()
  /** Calls that an earlier attempt started and that may run again. */
  readonly #startedCalls = new Set<CallId>()
  /** Count of failed changes when it last checked its data. */
  #refusedSeen: number
  /** Inbox changes that it has seen; undefined before its first look. */
  #inboxSeen: number | undefined

  constructor(run: LiveRun, ports: JournalPorts) {
    this.#run = run
    this.#limits = run.row.limits
    this.#ports = ports
    this.#writes = new RunWrites(run, ports.recorder)
    this.#refusedSeen = ports.recorder.refused()
  }

  /** Continues a turn that an earlier attempt started. */
  reopen(turn: OpenTurn): void {
    for (const { id, status } of turn.rows) {
      if (hasRun(status)) this.#counted.add(id)
      if (status === 'running') this.#startedCalls.add(id)
    }
    this.#run.held.count({ toolCalls: turn.toolCalls })
    this.#batch = new CallBatch(this.#run, this.#ports.newId, turn.answer, turn)
  }

  isOpen(callId: CallId): boolean {
    return this.#batch?.isOpen(callId) ?? false
  }

  /** The calls of the current answer. */
  calls(): readonly ToolCallPart[] {
    return this.#batch?.answer.parts.filter((part) => part.type === 'tool-call') ?? []
  }

  /** A changed share of the budget is stored at once, so that others see the true remainder. */
  limitsGrown(): void {
    const { limits } = this.#run.row
    if (limits === this.#limits) return
    this.#limits = limits
    this.#writes.patch({ limits })
    this.#writes.later((change) => this.#writes.writeFigures(change), { durable: false })
  }

  /** Pending writes for a call of this turn. */
  resultOf(callId: CallId): ToolResultPart | undefined {
    return this.#batch?.resultOf(callId)
  }

  messageStarted(id: MessageId): void {
    this.#streaming = new StreamingMessage(this.#run, id, this.#ports, this.#writes)
  }

  messagePartial(_id: MessageId, parts: readonly Part[]): void {
    this.#streaming!.push(parts)
  }

  partial(): PartialMessage | undefined {
    return this.#streaming?.partial
  }

  async messageInterrupted(_id: MessageId, parts: readonly Part[]): Promise<void> {
    const streaming = this.#endStreaming()
    if (!streaming) return
    await this.#writes.record((change) => streaming.writeEnd(change, parts, 'interrupted'))
  }

  async messageCompleted(answer: Answer): Promise<void> {
    const streaming = this.#endStreaming() ?? this.#wordless(answer)
    const batch = (this.#batch = new CallBatch(this.#run, this.#ports.newId, answer))
    await this.#writes.join((change) => {
      streaming?.writeEnd(change, answer.parts, 'complete', answer)
      const usage = addUsage(this.#run.row.usage, answer.usage)
      const costUsd = addCost(this.#run.row.costUsd, answer.costUsd)
      this.#writes.patch({ turns: answer.turn, usage, costUsd, finishReason: answer.end.reason })
      if (batch.isOver) this.#endTurn(change, answer)
    })
  }

  /** An empty answer gets no message, unless readers need to see how it ended. */
  #wordless({ messageId, end }: Answer): StreamingMessage | undefined {
    if (endMark(end) === undefined) return undefined
    return new StreamingMessage(this.#run, messageId, this.#ports, this.#writes)
  }

  #endStreaming(): StreamingMessage | undefined {
    const streaming = this.#streaming
    this.#streaming = undefined
    streaming?.close()
    return streaming
  }

  async callStarted(call: StartedCall): Promise<void> {
    const { part, title, tool } = call
    const batch = this.#batch!
    const hadRow = batch.hasRow(part.callId)
    let child: LiveRun | undefined
    const write = (change: Change) => {
      batch.writeStart(change, call)
      child = tool.effects === 'spawn' ? this.#ports.spawn(change, this.#run, call) : undefined
      const event = { callId: part.callId, tool: part.tool, title, input: part.input }
      change.event({ type: 'tool.started', ...eventScope(this.#run, change.at), ...event })
      this.#count(part.callId, true)
      this.#run.held.count({ lastAction: { tool: part.tool, title, at: change.at } })
    }
    // a delegation can be refused while it is written: alone, it affects nothing else
    const written = tool.effects === 'spawn' ? this.#writes.record(write) : this.#writes.join(write)
    await written.catch((error: unknown) => {
      if (child) this.#ports.unspawn(child)
      if (!hadRow) batch.dropRow(part.callId)
      throw error
    })
    if (child) this.#run.children.set(part.callId, child)
    this.#emitProgress()
  }

  /** Writes a call that waits for an answer. The approval refers to it, and both survive a crash (invariant R2). */
  writeAwaiting(change: Change, call: Pick<StartedCall, 'part' | 'tool' | 'title'>): void {
    this.#batch!.writeAwaiting(change, call)
  }

  async callEnded(call: EndedCall): Promise<ToolResultPart> {
    if (this.#writes.failed) await this.#writes.failed
    const { callId } = call.part
    const batch = this.#batch!
    const written = batch.resultOf(callId)
    if (written) return written
    // the end of a child writes the result; a paused one keeps its work and answers when it is continued
    const child = this.#run.children.get(callId)
    if (child && !child.row.background) return openResult(call.part)
    if (this.#isLeftOpen(call)) return openResult(call.part)
    batch.expectEnd(callId)
    const ended = call.status === 'skipped' && this.#startedCalls.has(callId) ? notAgain(call) : call
    return await this.#writes.join((change) => this.#writeResult(change, ended))
  }

  /** Calls of a turn with an open question stay open too: they run once it is answered. */
  #isLeftOpen({ part, status, error }: EndedCall): boolean {
    const { stillAsking } = this.#run
    const isNotRun = status === 'skipped' && error?.code === 'interrupted'
    return stillAsking.has(part.callId) || (stillAsking.size > 0 && isNotRun)
  }

  /** Writes the result of a call, unless the end of a child writes it in its own transaction. */
  writeResult(change: Change, call: EndedCall): ToolResultPart {
    const part = this.#writeResult(change, call)
    this.#writes.writeFigures(change)
    return part
  }

  reread(reader: Reader): void {
    const refused = this.#ports.recorder.refused()
    if (refused === this.#refusedSeen) return
    this.#refusedSeen = refused
    this.#batch?.reread(reader)
  }

  #writeResult(change: Change, call: EndedCall): ToolResultPart {
    const batch = this.#batch!
    const part = batch.writeResult(change, call)
    this.#count(part.callId, hasRun(part.status))
    if (batch.isOver) {
      const { toolCalls, lastAction } = this.#run.row
      this.#writes.patch({ toolCalls, lastAction })
      this.#endTurn(change, batch.answer)
    }
    return part
  }

  async instruct(text: string) {
    const id = this.#ports.newId('prt')
    const parts = [{ id, type: 'text', text, author: 'runtime' } as const]
    const { branchId, id: runId } = this.#run.row
    return await this.#writes.record((change) =>
      appendMessage(change, this.#ports.newId, eventScope(this.#run, change.at), {
        branchId,
        role: 'user',
        parts,
        runId,
      }),
    )
  }

  async waiting(reason: 'retry', waitingFor: WaitingFor): Promise<void> {
    await this.#writes.record((change) => {
      const isWaiting = this.#run.row.status === 'waiting'
      if (isWaiting) updateWait(change, this.#run, waitingFor)
      else changeRun(change, this.#run, { ...state.waiting(reason), waitingFor })
    })
    // the run that holds the budget may be queued for this slot
    if (waitingFor.code === 'budget') this.#ports.scheduler.release(this.#run.row.id)
  }

  async resumed(): Promise<void> {
    await this.#writes.record((change) => endWait(change, this.#ports, this.#run))
  }

  async steers(): Promise<readonly ContextMessage[]> {
    const { store, newId, recorder } = this.#ports
    const changes = recorder.inboxChanges(this.#run.row.branchId)
    if (changes === this.#inboxSeen) return []
    this.#inboxSeen = changes
    const steers = (reader: Reader) =>
      waitingItems(reader, this.#run.row.branchId).filter((row) => row.mode === 'steer')
    if (steers(store).length === 0) return []
    return await this.#writes.record((change) =>
      steers(change.tx).map((row) => deliverItems(change, newId, eventScope(this.#run, change.at), [row])),
    )
  }

  /** Reads waiting items of this branch with a result, in the order in which an idle branch reads them. */
  async readResults(): Promise<readonly ContextMessage[]> {
    const { store, newId } = this.#ports
    const waiting = (reader: Reader) => waitingItems(reader, this.#run.row.branchId)
    if (waiting(store).every((row) => row.kind === 'user')) return []
    return await this.#writes.record((change) => {
      const items = nextRead(waiting(change.tx))
      return items.length > 0 ? [deliverItems(change, newId, eventScope(this.#run, change.at), items)] : []
    })
  }

  /** Makes the next awaited write reject with this. */
  fail(error: unknown): void {
    this.#writes.fail(error)
  }

  #endTurn(change: Change, answer: Answer): void {
    const { usage, costUsd } = answer
    change.event({
      type: 'turn.completed',
      ...eventScope(this.#run, change.at),
      turn: Math.max(1, answer.turn),
      usage,
      costUsd,
    })
  }

  /** Figures between two turns live in memory and on the bus; the end of the turn stores them. */
  #emitProgress(): void {
    const at = this.#ports.clock.now()
    this.#ports.bus.live(runEvent(this.#run, 'run.progress', at, { from: this.#run.row.status }))
  }

  /** Every call that ran counts once; one stopped before it did anything does not count. */
  #count(callId: CallId, ran: boolean): void {
    if (this.#counted.has(callId) === ran) return
    if (ran) this.#counted.add(callId)
    else this.#counted.delete(callId)
    this.#run.held.count({ toolCalls: this.#run.row.toolCalls + (ran ? 1 : -1) })
  }
}

/** The run waits for something else now. */
function updateWait(change: Change, run: LiveRun, waitingFor: WaitingFor): void {
  change.tx.update('runs', run.row.id, { waitingFor })
  run.held.waitFor(waitingFor)
  change.event(runEvent(run, 'run.waiting', change.at, { from: 'waiting' }))
}

/** A call that is not repeated may have taken effect earlier: its text must not claim that it was not run. */
function notAgain(call: EndedCall): EndedCall {
  const message = `not run again: it had already started, and its effect is unknown (${call.output.text})`
  return { ...call, status: 'failed', output: { text: message }, error: { code: 'interrupted', message } }
}

function openResult(part: ToolCallPart): ToolResultPart {
  const { id, callId, tool } = part
  return { id, type: 'tool-result', callId, tool, status: 'skipped', output: { text: 'still open' } }
}
