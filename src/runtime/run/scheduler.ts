import type { ConversationId, RunId } from '../../core/ids.ts'
import type { QueueLine } from '../../core/run.ts'

export interface SlotRequest {
  readonly runId: RunId
  readonly conversationId: ConversationId
  /** Called once when a slot is free, never before `request` has returned. */
  readonly onGrant: () => void
}

export interface SchedulerLimits {
  /** Parallel subagents of a conversation. */
  readonly maxConcurrent: number
  /** Parallel subagents of this process, across schedulers with the same slots. */
  readonly globalConcurrent: number
  /** Queued runs of a conversation. */
  readonly maxQueue: number
}

interface Waiting extends SlotRequest {
  readonly where: 'head' | 'end'
  readonly isFree: () => boolean
  readonly line: () => QueueLine
  /** Emits what the queue of its conversation now waits for. */
  readonly tell: () => void
}

/**
 * What is emitted for a queued run: its position in the conversation's queue, and the limit that the queue waits for.
 */
export interface Queued {
  readonly position?: number
  /** Absent: a slot of the conversation. */
  readonly line?: QueueLine
}

/** Running and queued runs of this process. */
export class SlotTable {
  readonly running = new Map<RunId, ConversationId>()
  /** Runs at the head first; each part in order of arrival. */
  queue: readonly Waiting[] = []
  /** The limit last emitted for each queue; null: emit again. */
  readonly told = new Map<ConversationId, QueueLine | null>()
}

/**
 * Decides which run gets a slot: first in, first out, but a run whose wait is over goes before new ones. A slot belongs
 * to a run until it is released; releasing it twice, or one that was never held, does nothing.
 */
export class Scheduler {
  readonly #limits: SchedulerLimits
  readonly #slots: SlotTable
  readonly #onLine: (first: SlotRequest) => void

  /**
   * `slots`: shared with other schedulers, each with its own limits and conversations. `onLine`: called with the first
   * queued run of a conversation when its queue waits for another limit than reported.
   */
  constructor(
    limits: SchedulerLimits,
    slots = new SlotTable(),
    onLine: (first: SlotRequest) => void = () => {},
  ) {
    this.#limits = limits
    this.#slots = slots
    this.#onLine = onLine
  }

  /**
   * Grants a slot if one is free and no other run of this conversation waits for it; otherwise queues the run at the
   * end, or behind the runs at the head. A run that holds a slot keeps it.
   */
  request(request: SlotRequest, where: 'head' | 'end' = 'end'): 'granted' | 'queued' {
    if (this.holds(request.runId)) return 'granted'
    const { conversationId, runId } = request
    const { queue, running } = this.#slots
    const isFree = () => this.#isFree(conversationId)
    const waits = where === 'end' && queue.some((each) => each.conversationId === conversationId)
    if (!waits && isFree()) {
      running.set(runId, conversationId)
      return 'granted'
    }
    const heads = queue.filter((each) => each.where === 'head').length
    const at = where === 'head' ? heads : queue.length
    const line = () => this.lineOf(conversationId)
    const tell = () => this.#onLine(request)
    this.#slots.queue = queue.toSpliced(at, 0, { ...request, where, isFree, line, tell })
    return 'queued'
  }

  /** Releases a slot or a place in the queue, and starts the next run. */
  release(runId: RunId): void {
    const { running, queue } = this.#slots
    const own = running.get(runId) ?? queue.find((each) => each.runId === runId)?.conversationId
    running.delete(runId)
    this.#slots.queue = queue.filter((each) => each.runId !== runId)
    const granted = this.#grantNext()
    for (const id of new Set([...(own ? [own] : []), ...granted])) this.#tellLine(id)
  }

  holds(runId: RunId): boolean {
    return this.#slots.running.has(runId)
  }

  /** 1: next of its conversation; undefined if it does not wait. */
  position(runId: RunId): number | undefined {
    const request = this.#slots.queue.find((each) => each.runId === runId)
    return request && 1 + this.waiting(request.conversationId).indexOf(runId)
  }

  /** For a queued run: the content of its `run.queued` event. */
  queued(runId: RunId): Queued {
    const request = this.#slots.queue.find((each) => each.runId === runId)
    const position = this.position(runId)
    if (!request || position === undefined) return {}
    const line = request.line()
    this.#slots.told.set(request.conversationId, line)
    return { position, ...(line === 'process' ? { line } : {}) }
  }

  /** What the queue of a conversation waits for. */
  lineOf(conversationId: ConversationId): QueueLine {
    return this.#own(conversationId) < this.#limits.maxConcurrent ? 'process' : 'conversation'
  }

  /** Emits what a queue waits for unless it was already emitted; null: nothing was emitted. */
  tellLine(conversationId: ConversationId, told: QueueLine | null): void {
    this.#slots.told.set(conversationId, told)
    this.#tellLine(conversationId)
  }

  #tellLine(conversationId: ConversationId): void {
    const { queue, told } = this.#slots
    const first = queue.find((each) => each.conversationId === conversationId)
    if (!first) return void told.delete(conversationId)
    const before = told.get(conversationId)
    const line = first.line()
    if (line === (before === undefined ? 'conversation' : before)) return
    told.set(conversationId, line)
    first.tell()
  }

  /** The queued runs of a conversation, next first. */
  waiting(conversationId: ConversationId): RunId[] {
    return this.#slots.queue
      .filter((each) => each.conversationId === conversationId)
      .map((each) => each.runId)
  }

  /** Whether one more run would have to wait, and the queue is full. */
  isFull(conversationId: ConversationId): boolean {
    const waiting = this.waiting(conversationId).length
    return waiting >= this.#limits.maxQueue && (waiting > 0 || !this.#isFree(conversationId))
  }

  #isFree(conversationId: ConversationId): boolean {
    const { running } = this.#slots
    const { maxConcurrent, globalConcurrent } = this.#limits
    return this.#own(conversationId) < maxConcurrent && running.size < globalConcurrent
  }

  /** Number of slots that the conversation holds. */
  #own(conversationId: ConversationId): number {
    return [...this.#slots.running.values()].filter((each) => each === conversationId).length
  }

  /** The conversations that got a slot. */
  #grantNext(): ConversationId[] {
    const granted: ConversationId[] = []
    for (;;) {
      const next = this.#slots.queue.find(({ isFree }) => isFree())
      if (!next) return granted
      granted.push(next.conversationId)
      this.#slots.queue = this.#slots.queue.filter((each) => each !== next)
      this.#slots.running.set(next.runId, next.conversationId)
      next.onGrant()
    }
  }
}
