import type { CallId, NewId } from '../../core/ids.ts'
import type { Message, ToolCallPart, ToolResultPart } from '../../core/message.ts'
import { outputForPeople } from '../../core/report/report-words.ts'
import type { ToolCall } from '../../core/run.ts'
import type { Answer, EndedCall, StartedCall } from '../../loop/ports.ts'
import type { Reader } from '../../store/port.ts'
import { eventScope, type LiveRun } from '../run/live-run.ts'
import { insertMessage, insertPart, emitMessageCompleted, emitPart } from '../run/messages.ts'
import type { OpenTurn } from './open-turn.ts'
import { boundOutput } from '../run/bounded-output.ts'
import type { Change } from '../log/recorder.ts'

/** The calls of one answer: their rows, and the message that holds their results. */
export class CallBatch {
  readonly answer: Answer
  readonly #run: LiveRun
  readonly #newId: NewId
  readonly #results: Map<CallId, ToolResultPart>
  readonly #rows: Set<CallId>
  /** Calls whose end is being stored: it writes the whole row of a call that starts in the same change. */
  readonly #ending = new Set<CallId>()
  #toolMessage: Message | undefined
  #open: number

  /** `left`: what an earlier attempt stored of them. */
  constructor(
    run: LiveRun,
    newId: NewId,
    answer: Answer,
    left?: Pick<OpenTurn, 'results' | 'rows' | 'toolMessage'>,
  ) {
    this.#run = run
    this.#newId = newId
    this.answer = answer
    this.#results = new Map(left?.results.map((part) => [part.callId, part]))
    this.#rows = new Set(left?.rows.map(({ id }) => id))
    this.#toolMessage = left?.toolMessage
    this.#open = answer.parts.filter((part) => part.type === 'tool-call').length - this.#results.size
  }

  /** Whether every call has its result. */
  get isOver(): boolean {
    return this.#open === 0
  }

  isOpen(callId: CallId): boolean {
    const isOurs = this.answer.parts.some((part) => part.type === 'tool-call' && part.callId === callId)
    return isOurs && !this.#results.has(callId)
  }

  resultOf(callId: CallId): ToolResultPart | undefined {
    return this.#results.get(callId)
  }

  hasRow(callId: CallId): boolean {
    return this.#rows.has(callId)
  }

  /** The change with its row was not stored. */
  dropRow(callId: CallId): void {
    this.#rows.delete(callId)
  }

  /** Its end is requested. */
  expectEnd(callId: CallId): void {
    this.#ending.add(callId)
  }

  writeAwaiting(change: Change, call: Pick<StartedCall, 'part' | 'tool' | 'title'>): void {
    const status = 'awaiting_approval'
    const { callId } = call.part
    if (this.#rows.has(callId)) change.tx.update('tool_calls', callId, { status })
    else this.#insertCall(change, call, status)
  }

  writeStart(change: Change, call: StartedCall): void {
    const { callId } = call.part
    if (this.#rows.has(callId))
      change.tx.update('tool_calls', callId, { status: 'running', startedAt: change.at })
    else if (!this.#ending.has(callId)) this.#insertCall(change, call, 'running')
  }

  /** The last result completes the message that holds them. */
  writeResult(change: Change, call: EndedCall): ToolResultPart {
    const { callId, tool } = call.part
    const output = boundOutput(change, this.#newId, {
      conversationId: this.#run.row.conversationId,
      output: call.output,
    })
    const id = this.#newId('prt')
    const part: ToolResultPart = { id, type: 'tool-result', callId, tool, status: call.status, output }
    const message = (this.#toolMessage ??= this.#startToolMessage(change))
    this.#writePart(change, message, part)
    this.#endRow(change, call, part)
    this.#run.facts.delete(callId)
    this.#results.set(callId, part)
    if (--this.#open === 0) this.#endToolMessage(change, message)
    return part
  }

  /** A change was not stored: forgets what it had written of these calls. */
  reread(reader: Reader): void {
    for (const [callId, { id }] of this.#results)
      if (!reader.get('parts', id)) {
        this.#results.delete(callId)
        this.#open++
      }
    for (const id of this.#rows) if (!reader.get('tool_calls', id)) this.#rows.delete(id)
    if (this.#toolMessage && !reader.get('messages', this.#toolMessage.id)) this.#toolMessage = undefined
  }

  #startToolMessage(change: Change): Message {
    const { branchId, id: runId } = this.#run.row
    const message: Message = {
      id: this.#newId('msg'),
      branchId,
      position: change.nextPosition(branchId),
      role: 'tool',
      state: this.#open === 1 ? 'complete' : 'streaming',
      parts: [],
      runId,
      usage: null,
      createdAt: change.at,
    }
    insertMessage(change, eventScope(this.#run, change.at), message)
    return message
  }

  #writePart(change: Change, { id }: Message, part: ToolResultPart): void {
    const here = eventScope(this.#run, change.at)
    insertPart(change, here.conversationId, { messageId: id, position: this.#results.size, part })
    emitPart(change, here, id, part)
  }

  #endRow(change: Change, { part: call, title, status, exitCode, error }: EndedCall, part: ToolResultPart) {
    const { callId, tool, input } = call
    const facts = this.#run.facts.get(callId) ?? null
    const ended = { status, resultPartId: part.id, exitCode, error, facts, endedAt: change.at }
    if (this.#rows.has(callId)) change.tx.update('tool_calls', callId, ended)
    else
      change.tx.insert('tool_calls', {
        ...this.#row(call, { title, startedAt: change.at, status, repeatable: true }),
        ...ended,
      })
    change.event({
      type: `tool.${status}`,
      ...eventScope(this.#run, change.at),
      callId,
      tool,
      title,
      input,
      output: outputForPeople(part.output),
      exitCode,
      ...(error ? { error } : {}),
    })
  }

  #endToolMessage(change: Change, message: Message): void {
    if (message.state === 'streaming') change.tx.update('messages', message.id, { state: 'complete' })
    emitMessageCompleted(change, eventScope(this.#run, change.at), message, 'complete')
  }

  #insertRow(change: Change, row: ToolCall): void {
    change.tx.insert('tool_calls', row)
    this.#rows.add(row.id)
  }

  #insertCall(
    change: Change,
    { part, title, tool }: Pick<StartedCall, 'part' | 'tool' | 'title'>,
    status: ToolCall['status'],
  ): void {
    this.#insertRow(
      change,
      this.#row(part, { title, startedAt: change.at, status, repeatable: isRepeatable(tool) }),
    )
  }

  #row(part: ToolCallPart, own: Pick<ToolCall, 'title' | 'startedAt' | 'status' | 'repeatable'>): ToolCall {
    const { conversationId, branchId, id: runId } = this.#run.row
    return {
      id: part.callId,
      conversationId,
      branchId,
      runId,
      messageId: this.answer.messageId,
      partId: part.id,
      tool: part.tool,
      ...own,
      resultPartId: null,
      exitCode: null,
      error: null,
      facts: null,
      endedAt: null,
    }
  }
}

function isRepeatable(tool: StartedCall['tool']): boolean {
  return tool.effects === 'none' || tool.idempotent
}
