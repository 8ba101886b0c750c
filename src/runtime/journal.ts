import type { ContextMessage } from '../core/build-context.ts'
import type { CallId, MessageId, NewId, PartId } from '../core/ids.ts'
import { bounds } from '../core/limits.ts'
import type { Message, MessageState, Part, ToolCallPart, ToolResultPart } from '../core/message.ts'
import type { Run, ToolCall, WaitingFor } from '../core/run.ts'
import { state } from '../core/run-status.ts'
import { addCost, addUsage } from '../core/usage.ts'
import type { Answer, EndedCall, Journal, StartedCall } from '../loop/ports.ts'
import type { Reader } from '../store/port.ts'
import { deliverItems, nextRead, waitingItems } from './inbox.ts'
import { boundOutput } from './output.ts'
import type { Bus } from './bus.ts'
import { changeRun, place, runEvent, type LiveRun } from './live-run.ts'
import { appendMessage, insertMessage, insertPart } from './messages.ts'
import type { OpenTurn } from './open-turn.ts'
import type { Change, Recorder } from './recorder.ts'
import type { Clock } from '../core/clock.ts'

export interface JournalPorts {
  readonly store: Reader
  readonly recorder: Recorder
  readonly bus: Bus
  readonly clock: Clock
  readonly newId: NewId
  /** Writes the child of a `task` call in the transaction of its intent (R2); some need none. */
  readonly spawn: (change: Change, parent: LiveRun, call: StartedCall) => LiveRun | undefined
  /** Takes back what a spawn took that was not stored. */
  readonly unspawn: (child: LiveRun) => void
}

/** The calls of one answer and what has come back. */
interface Batch {
  readonly answer: Answer
  readonly results: Map<CallId, ToolResultPart>
  /** Calls that have a row. */
  readonly rows: Set<CallId>
  /** Calls whose end is on its way to the store. */
  readonly ending: Set<CallId>
  toolMessage: Message | undefined
  open: number
}

/** Writes that are one change: those that the same turn of the event loop asks for. */
interface Joined {
  readonly writes: ((change: Change) => void)[]
  readonly done: Promise<void>
}

/** A message that is being streamed. It gets its row with its first parts: most answers are whole before that is due. */
interface Streaming {
  message: Message
  parts: readonly Part[]
  readonly stored: Set<PartId>
  /** Of the next write of what there is by then. */
  cancelWrite: (() => void) | undefined
}

/** Writes one run: the answers of its model, the calls and their results, and its figures. */
export class RunJournal implements Journal {
  readonly #run: LiveRun
  readonly #ports: JournalPorts
  #streaming: Streaming | undefined
  #batch: Batch | undefined
  readonly #counted = new Set<CallId>()
  /** Figures that the row in the store lacks. */
  #figures: Partial<Run> = {}
  /** Taken by the next write as long as nothing else was asked for. */
  #joined: Joined | undefined
  #failed: Promise<never> | undefined
  /** The changes of its inbox that it has seen; undefined before it looked. */
  #inboxSeen: number | undefined

  constructor(run: LiveRun, ports: JournalPorts) {
    this.#run = run
    this.#ports = ports
  }

  /** Goes on with a turn that an earlier attempt began. */
  reopen({ answer, calls, results, rows, toolMessage, toolCalls }: OpenTurn): void {
    for (const { id } of rows) this.#counted.add(id)
    this.#run.row = { ...this.#run.row, toolCalls }
    this.#batch = {
      answer,
      results: new Map(results.map((part) => [part.callId, part])),
      rows: new Set(rows.map(({ id }) => id)),
      ending: new Set(),
      toolMessage,
      open: calls.length - results.length,
    }
  }

  isOpen(callId: CallId): boolean {
    const { answer, results } = this.#batch ?? {}
    const isOurs = answer?.parts.some((part) => part.type === 'tool-call' && part.callId === callId) ?? false
    return isOurs && !results!.has(callId)
  }

  /** What is written of a call of this turn. */
  resultOf(callId: CallId): ToolResultPart | undefined {
    return this.#batch?.results.get(callId)
  }

  messageStarted(id: MessageId): void {
    const { branchId, id: runId } = this.#run.row
    const createdAt = this.#ports.clock.now()
    const message: Message = {
      id,
      branchId,
      position: -1,
      role: 'assistant',
      state: 'streaming',
      parts: [],
      runId,
      usage: null,
      createdAt,
    }
    this.#streaming = { message, parts: [], stored: new Set(), cancelWrite: undefined }
  }

  messagePartial(_id: MessageId, parts: readonly Part[]): void {
    const streaming = this.#streaming!
    streaming.parts = parts
    streaming.cancelWrite ??= this.#ports.clock.after(bounds.partialWriteMs, () => {
      streaming.cancelWrite = undefined
      this.#later((change) => this.#writeParts(change, streaming, streaming.parts))
    })
  }

  async messageInterrupted(_id: MessageId, parts: readonly Part[]): Promise<void> {
    if (!this.#streaming) return
    await this.#record((change) => this.#endMessage(change, parts, 'interrupted', null))
  }

  async messageCompleted(answer: Answer): Promise<void> {
    const calls = answer.parts.filter((part) => part.type === 'tool-call').length
    const noCalls = { results: new Map(), rows: new Set<CallId>(), ending: new Set<CallId>() }
    this.#batch = { answer, ...noCalls, toolMessage: undefined, open: calls }
    await this.#join((change) => {
      if (this.#streaming) this.#endMessage(change, answer.parts, 'complete', answer.usage)
      const usage = addUsage(this.#run.row.usage, answer.usage)
      const costUsd = addCost(this.#run.row.costUsd, answer.costUsd)
      this.#patch({ turns: answer.turn, usage, costUsd })
      if (calls === 0) this.#endTurn(change, answer)
    })
  }

  async callStarted(call: StartedCall): Promise<void> {
    const { part, title, tool } = call
    let child: LiveRun | undefined
    const write = (change: Change) => {
      this.#startCallRow(change, call)
      child = tool.effects === 'spawn' ? this.#ports.spawn(change, this.#run, call) : undefined
      const event = { callId: part.callId, tool: part.tool, title, input: part.input }
      change.event({ type: 'tool.started', ...place(this.#run, change.at), ...event })
      this.#count(part.callId)
      this.#run.row = { ...this.#run.row, lastAction: { tool: part.tool, title, at: change.at } }
    }
    // a delegation can be refused while it is written: alone it takes nothing else along
    const written = tool.effects === 'spawn' ? this.#record(write) : this.#join(write)
    await written.catch((error: unknown) => {
      if (child) this.#ports.unspawn(child)
      this.#batch!.rows.delete(part.callId)
      throw error
    })
    if (child) this.#run.children.set(part.callId, child)
    this.#tellProgress()
  }

  /** Writes a call that waits for an answer; the approval points at it, and survives with it (R2). */
  writeAwaiting(change: Change, { part, tool, title }: Pick<StartedCall, 'part' | 'tool' | 'title'>): void {
    const { rows } = this.#batch!
    if (rows.has(part.callId)) change.tx.update('tool_calls', part.callId, { status: 'awaiting_approval' })
    else {
      const row = { ...this.#callRow(part, title, change.at), repeatable: isRepeatable(tool) }
      change.tx.insert('tool_calls', { ...row, status: 'awaiting_approval' })
    }
    rows.add(part.callId)
  }

  async callEnded(call: EndedCall): Promise<ToolResultPart> {
    if (this.#failed) await this.#failed
    const { results, ending } = this.#batch!
    const written = results.get(call.part.callId)
    if (written) return written
    // the end of a child writes the result; one that is paused keeps its work and answers when it is continued
    const child = this.#run.children.get(call.part.callId)
    if (child && !child.row.background) return openResult(call.part)
    ending.add(call.part.callId)
    return await this.#join((change) => this.#writeResult(change, call))
  }

  /** Writes the result of a call; the end of a child does it in its own transaction (D2). */
  writeResult(change: Change, call: EndedCall): ToolResultPart {
    const part = this.#writeResult(change, call)
    this.#writeFigures(change)
    return part
  }

  #writeResult(change: Change, call: EndedCall): ToolResultPart {
    const batch = this.#batch!
    const { callId, tool } = call.part
    const output = boundOutput(change, this.#ports.newId, this.#run.row.conversationId, call.output)
    const part: ToolResultPart = {
      id: this.#ports.newId('prt'),
      type: 'tool-result',
      callId,
      tool,
      status: call.status,
      output,
    }
    this.#writeResultPart(change, batch, part)
    this.#endCallRow(change, call, part)
    this.#count(callId)
    batch.results.set(callId, part)
    if (--batch.open === 0) this.#endBatch(change, batch)
    return part
  }

  async instruct(text: string) {
    const parts: Part[] = [{ id: this.#ports.newId('prt'), type: 'text', text }]
    const { branchId, id: runId } = this.#run.row
    return await this.#record((change) =>
      appendMessage(change, this.#ports.newId, place(this.#run, change.at), {
        branchId,
        role: 'user',
        parts,
        runId,
      }),
    )
  }

  async waiting(reason: 'retry', waitingFor: WaitingFor): Promise<void> {
    await this.#record((change) => changeRun(change, this.#run, state.waiting(reason), { waitingFor }))
  }

  async resumed(): Promise<void> {
    await this.#record((change) => changeRun(change, this.#run, state.running))
  }

  async steers(): Promise<readonly ContextMessage[]> {
    const { store, newId, recorder } = this.#ports
    const changes = recorder.inboxChanges(this.#run.row.branchId)
    if (changes === this.#inboxSeen) return []
    this.#inboxSeen = changes
    const steers = (reader: Reader) =>
      waitingItems(reader, this.#run.row.branchId).filter((row) => row.mode === 'steer')
    if (steers(store).length === 0) return []
    return await this.#record((change) =>
      steers(change.tx).map((row) => deliverItems(change, newId, place(this.#run, change.at), [row])),
    )
  }

  /** Reads what waits for this branch where a result does, in the order in which an idle branch reads. */
  async readResults(): Promise<readonly ContextMessage[]> {
    const { store, newId } = this.#ports
    const waiting = (reader: Reader) => waitingItems(reader, this.#run.row.branchId)
    if (waiting(store).every((row) => row.kind === 'user')) return []
    return await this.#record((change) => {
      const items = nextRead(waiting(change.tx))
      return items.length > 0 ? [deliverItems(change, newId, place(this.#run, change.at), items)] : []
    })
  }

  /** The next write that somebody waits for rejects with this. */
  fail(error: unknown): void {
    this.#failed ??= Promise.reject(error)
    this.#failed.catch(() => {})
  }

  /** Writes together with what else this turn of the event loop asks for: one row of events, one update of the run. */
  async #join<T>(write: (change: Change) => T): Promise<T> {
    if (this.#failed) await this.#failed
    const joined = (this.#joined ??= this.#openJoined())
    let result: T
    joined.writes.push((change) => void (result = write(change)))
    await joined.done
    return result!
  }

  #openJoined(): Joined {
    const writes: Joined['writes'] = []
    const done = this.#record((change) => {
      if (this.#joined?.writes === writes) this.#joined = undefined
      for (const write of writes) write(change)
      this.#writeFigures(change)
    })
    return { writes, done }
  }

  async #record<T>(write: (change: Change) => T): Promise<T> {
    this.#joined = undefined // what comes later is written later
    if (this.#failed) await this.#failed
    try {
      return await this.#ports.recorder.record(this.#run.row.conversationId, write)
    } catch (error) {
      if (this.#failed) await this.#failed // what failed first is the reason, not that its rows are missing now
      throw error
    }
  }

  /** A write that nobody waits for; if it fails, the next one that somebody waits for says so. */
  #later(write: (change: Change) => void): void {
    this.#joined = undefined
    const done = this.#ports.recorder.record(this.#run.row.conversationId, write, { durable: false })
    done.catch((error: unknown) => this.fail(error))
  }

  #writeParts(change: Change, streaming: Streaming, parts: readonly Part[]): void {
    const { stored } = streaming
    if (streaming.message.position < 0) this.#startMessage(change, streaming, {})
    parts.forEach((part, position) => {
      if (stored.has(part.id)) change.tx.update('parts', part.id, { part: { ...part } })
      else insertPart(change, this.#run.row.conversationId, streaming.message.id, position, { ...part })
      stored.add(part.id)
    })
  }

  #startMessage(change: Change, streaming: Streaming, ended: Partial<Message>): void {
    const { message } = streaming
    streaming.message = { ...message, position: change.nextPosition(message.branchId), ...ended }
    insertMessage(change, place(this.#run, change.at), streaming.message)
  }

  #endMessage(
    change: Change,
    parts: readonly Part[],
    to: 'complete' | 'interrupted',
    usage: Message['usage'],
  ): void {
    const streaming = this.#streaming!
    streaming.cancelWrite?.()
    if (streaming.message.position < 0) this.#startMessage(change, streaming, { state: to, usage })
    else change.tx.update('messages', streaming.message.id, { state: to, usage })
    this.#writeParts(change, streaming, parts)
    const { message } = streaming
    const here = place(this.#run, change.at)
    for (const part of parts) {
      change.event({
        type: 'part.completed',
        ...here,
        messageId: message.id,
        partId: part.id,
        kind: part.type,
        part: { ...part },
      })
    }
    completed(change, here, message, to)
    this.#streaming = undefined
  }

  #callRow(part: ToolCallPart, title: string, at: number): Omit<ToolCall, 'status' | 'repeatable'> {
    const { conversationId, branchId, id: runId } = this.#run.row
    const { messageId } = this.#batch!.answer
    const open = { resultPartId: null, exitCode: null, error: null, startedAt: at, endedAt: null }
    return {
      id: part.callId,
      conversationId,
      branchId,
      runId,
      messageId,
      partId: part.id,
      tool: part.tool,
      title,
      ...open,
    }
  }

  #startCallRow(change: Change, { part, tool, title }: StartedCall): void {
    const { rows, ending } = this.#batch!
    const { callId } = part
    if (rows.has(callId)) change.tx.update('tool_calls', callId, { status: 'running', startedAt: change.at })
    if (rows.has(callId) || ending.has(callId)) return // its end follows in the same change, and writes the whole row
    const row = { ...this.#callRow(part, title, change.at), repeatable: isRepeatable(tool) }
    change.tx.insert('tool_calls', { ...row, status: 'running' })
    rows.add(callId)
  }

  #writeResultPart(change: Change, batch: Batch, part: ToolResultPart): void {
    const here = place(this.#run, change.at)
    batch.toolMessage ??= this.#startToolMessage(change, batch.open === 1 ? 'complete' : 'streaming')
    const { id: messageId } = batch.toolMessage
    insertPart(change, here.conversationId, messageId, batch.results.size, part)
    change.event({
      type: 'part.completed',
      ...here,
      messageId,
      partId: part.id,
      kind: part.type,
      part: { ...part },
    })
  }

  #startToolMessage(change: Change, state: MessageState): Message {
    const { branchId, id: runId } = this.#run.row
    const position = change.nextPosition(branchId)
    const base = {
      id: this.#ports.newId('msg'),
      branchId,
      position,
      runId,
      usage: null,
      createdAt: change.at,
    }
    const message: Message = { ...base, role: 'tool', state, parts: [] }
    insertMessage(change, place(this.#run, change.at), message)
    return message
  }

  #endCallRow(change: Change, call: EndedCall, part: ToolResultPart): void {
    const { callId } = part
    const ended = {
      status: call.status,
      resultPartId: part.id,
      exitCode: call.exitCode,
      error: call.error,
      endedAt: change.at,
    }
    if (this.#batch!.rows.has(callId)) change.tx.update('tool_calls', callId, ended)
    else
      change.tx.insert('tool_calls', {
        ...this.#callRow(call.part, call.title, change.at),
        repeatable: true,
        ...ended,
      })
    const { tool, input } = call.part
    const event = {
      callId,
      tool,
      title: call.title,
      input,
      output: part.output.text,
      exitCode: call.exitCode,
    }
    change.event({
      type: `tool.${call.status}`,
      ...place(this.#run, change.at),
      ...event,
      ...(call.error ? { error: call.error } : {}),
    })
  }

  #endBatch(change: Change, batch: Batch): void {
    const message = batch.toolMessage!
    if (message.state === 'streaming') change.tx.update('messages', message.id, { state: 'complete' })
    completed(change, place(this.#run, change.at), message, 'complete')
    const { toolCalls, lastAction } = this.#run.row
    this.#patch({ toolCalls, lastAction })
    this.#endTurn(change, batch.answer)
  }

  #endTurn(change: Change, answer: Answer): void {
    const { usage, costUsd } = answer
    change.event({
      type: 'turn.completed',
      ...place(this.#run, change.at),
      turn: Math.max(1, answer.turn),
      usage,
      costUsd,
    })
  }

  #patch(figures: Partial<Run>): void {
    this.#run.row = { ...this.#run.row, ...figures }
    Object.assign(this.#figures, figures)
  }

  #writeFigures(change: Change): void {
    const figures = this.#figures
    if (Object.keys(figures).length === 0) return
    this.#figures = {}
    change.tx.update('runs', this.#run.row.id, figures)
  }

  /** Figures between two turns live in memory and on the bus; the end of the turn stores them. */
  #tellProgress(): void {
    const at = this.#ports.clock.now()
    this.#ports.bus.live(runEvent(this.#run, 'run.progress', at, { from: this.#run.row.status }))
  }

  /** Every call counts once, whether it began or was refused. */
  #count(callId: CallId): void {
    if (this.#counted.has(callId)) return
    this.#counted.add(callId)
    this.#run.row = { ...this.#run.row, toolCalls: this.#run.row.toolCalls + 1 }
  }
}

function isRepeatable(tool: StartedCall['tool']): boolean {
  return tool.effects === 'none' || tool.idempotent
}

function completed(
  change: Change,
  here: ReturnType<typeof place>,
  message: Message,
  to: Exclude<MessageState, 'streaming'>,
): void {
  const { id: messageId, role, position } = message
  change.event({ type: 'message.completed', ...here, messageId, role, position, state: to })
}

function openResult(part: ToolCallPart): ToolResultPart {
  const { id, callId, tool } = part
  return { id, type: 'tool-result', callId, tool, status: 'skipped', output: { text: 'still open' } }
}
