import type { ConversationId, RunId } from '../../core/ids.ts'
import type { QueueLine } from '../../core/run.ts'

export interface SlotRequest {
  readonly runId: RunId
  readonly conversationId: ConversationId
  /** Called once when a slot is free, never before `request` has returned. */
  readonly onGrant: () => void
}

export interface SchedulerLimits {
  /** Children that run at the same time in one conversation. */
  readonly maxConcurrent: number
  /** And in this process: of all schedulers with the same slots. */
  readonly globalConcurrent: number
  /** Runs of one conversation that may wait. */
  readonly maxQueue: number
}

interface Waiting extends SlotRequest {
  readonly where: 'head' | 'end'
  readonly isFree: () => boolean
  readonly line: () => QueueLine
  /** Says for the whole line of its conversation what that waits for now. */
  readonly tell: () => void
}

/** What is told of a run that waits: its place in the line of its conversation, and what that waits for. */
export interface Queued {
  readonly position?: number
  /** Absent: a slot of the conversation. */
  readonly line?: QueueLine
}

/** Who runs in this process, and who waits for that. */
export class SlotTable {
  readonly running = new Map<RunId, ConversationId>()
  /** The heads first, each of the two parts in the order in which they came. */
  queue: readonly Waiting[] = []
  /** What each line was last said to wait for; null: it is to be said again. */
  readonly told = new Map<ConversationId, QueueLine | null>()
}

/**
 * Decides which run gets a slot: first in, first out, but a run whose wait is over goes before new ones. A slot belongs
 * to a run until it is released; releasing it twice, or one that was never held, changes nothing.
 */
export class Scheduler {
  readonly #limits: SchedulerLimits
  readonly #slots: SlotTable
  readonly #onLine: (first: SlotRequest) => void

  /**
   * `slots`: those of other schedulers too, each with limits of its own, of which no conversation has two. `onLine`: called
   * with the first in the line of a conversation when that waits for another limit than was told.
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
   * Takes a slot if one is free and nobody of this conversation waits for it; otherwise waits at the end, or at the head
   * behind those that came there before. Who holds one still keeps it.
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

  /** Gives back a slot, or the place in the queue, and hands on what became free. */
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

  /** 1 for the next of its conversation; undefined when it does not wait. */
  position(runId: RunId): number | undefined {
    const request = this.#slots.queue.find((each) => each.runId === runId)
    return request && 1 + this.waiting(request.conversationId).indexOf(runId)
  }

  /** Of a run that waits: what is told with its `run.queued`. */
  queued(runId: RunId): Queued {
    const request = this.#slots.queue.find((each) => each.runId === runId)
    const position = this.position(runId)
    if (!request || position === undefined) return {}
    const line = request.line()
    this.#slots.told.set(request.conversationId, line)
    return { position, ...(line === 'process' ? { line } : {}) }
  }

  /** What the line of a conversation waits for. */
  lineOf(conversationId: ConversationId): QueueLine {
    return this.#own(conversationId) < this.#limits.maxConcurrent ? 'process' : 'conversation'
  }

  /** Tells what a line waits for, unless that is what was told; null: nothing was. */
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

  /** The runs of a conversation that wait, the next first. */
  waiting(conversationId: ConversationId): RunId[] {
    return this.#slots.queue
      .filter((each) => each.conversationId === conversationId)
      .map((each) => each.runId)
  }

  /** Whether one more would have to wait, and may not. */
  isFull(conversationId: ConversationId): boolean {
    const waiting = this.waiting(conversationId).length
    return waiting >= this.#limits.maxQueue && (waiting > 0 || !this.#isFree(conversationId))
  }

  #isFree(conversationId: ConversationId): boolean {
    const { running } = this.#slots
    const { maxConcurrent, globalConcurrent } = this.#limits
    return this.#own(conversationId) < maxConcurrent && running.size < globalConcurrent
  }

  /** How many slots the conversation has. */
  #own(conversationId: ConversationId): number {
    return [...this.#slots.running.values()].filter((each) => each === conversationId).length
  }

  /** The conversations that have got a slot. */
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
