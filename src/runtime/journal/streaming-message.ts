import type { MessageId, PartId } from '../../core/ids.ts'
import { bounds } from '../../core/limits.ts'
import type { Message, MessageState, Part } from '../../core/message.ts'
import { endMark } from '../../loop/answer-outcome.ts'
import type { Answer } from '../../loop/ports.ts'
import type { Deps } from '../context/deps.ts'
import { eventScope, type LiveRun } from '../run/live-run.ts'
import { insertMessage, insertPart, emitMessageCompleted, emitPart } from '../run/messages.ts'
import type { PartialMessage } from '../run/partial-message.ts'
import type { Change } from '../log/recorder.ts'
import type { RunWrites } from './run-writes.ts'

type MessagePorts = Pick<Deps, 'clock' | 'newId'>

/** A streaming answer. It gets its row with its first parts; most answers are complete before that is due. */
export class StreamingMessage {
  readonly #run: LiveRun
  readonly #id: MessageId
  readonly #ports: MessagePorts
  readonly #writes: RunWrites
  readonly #createdAt: number
  /** Position in its branch; undefined while it has no row. */
  #position: number | undefined
  #parts: readonly Part[] = []
  readonly #stored = new Set<PartId>()
  /** Timer of the next partial write. */
  #cancelWrite: (() => void) | undefined

  constructor(run: LiveRun, id: MessageId, ports: MessagePorts, writes: RunWrites) {
    this.#run = run
    this.#id = id
    this.#ports = ports
    this.#writes = writes
    this.#createdAt = ports.clock.now()
  }

  /** Its content so far. The latest is stored after `partialWriteMs`. */
  push(parts: readonly Part[]): void {
    this.#parts = parts
    this.#cancelWrite ??= this.#ports.clock.after(bounds.partialWriteMs, () => {
      this.#cancelWrite = undefined
      const durable = this.#position === undefined // its event has a `seq`, and must survive a power loss
      this.#writes.later((change) => this.#writePartial(change), { durable })
    })
  }

  /** A copy of the current state: its parts grow. */
  get partial(): PartialMessage {
    const { branchId, id: runId } = this.#run.row
    return { messageId: this.#id, branchId, runId, parts: this.#parts.map((part) => ({ ...part })) }
  }

  /** Stores nothing more before its end. */
  close(): void {
    this.#cancelWrite?.()
  }

  /** An incomplete answer gets a notice. */
  writeEnd(
    change: Change,
    said: readonly Part[],
    state: 'complete' | 'interrupted',
    answer?: Pick<Answer, 'usage' | 'end'>,
  ): void {
    const usage = answer?.usage ?? null
    const mark = answer && endMark(answer.end)
    const notice = mark && ({ id: this.#ports.newId('prt'), type: 'notice', text: mark } as const)
    const parts = notice ? [...said, notice] : said
    if (this.#position === undefined) this.#insert(change, state, usage)
    else change.tx.update('messages', this.#id, { state, usage })
    this.#writeParts(change, parts)
    const here = eventScope(this.#run, change.at)
    for (const part of parts) emitPart(change, here, this.#id, part)
    const ended = answer && { finishReason: answer.end.reason }
    const message = { id: this.#id, role: 'assistant', position: this.#position!, ...ended } as const
    emitMessageCompleted(change, here, message, state)
  }

  #writePartial(change: Change): void {
    if (this.#position === undefined) this.#insert(change, 'streaming', null)
    this.#writeParts(change, this.#parts)
  }

  #insert(change: Change, state: MessageState, usage: Message['usage']): void {
    const { branchId, id: runId } = this.#run.row
    this.#position = change.nextPosition(branchId)
    insertMessage(change, eventScope(this.#run, change.at), {
      id: this.#id,
      branchId,
      position: this.#position,
      role: 'assistant',
      state,
      parts: [],
      runId,
      usage,
      createdAt: this.#createdAt,
    })
  }

  #writeParts(change: Change, parts: readonly Part[]): void {
    parts.forEach((part, position) => {
      if (this.#stored.has(part.id)) change.tx.update('parts', part.id, { part: { ...part } })
      else
        insertPart(change, this.#run.row.conversationId, { messageId: this.#id, position, part: { ...part } })
      this.#stored.add(part.id)
    })
  }
}
