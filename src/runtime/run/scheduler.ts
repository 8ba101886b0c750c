import type { ConversationId, RunId } from '../../core/ids.ts'

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
}

/** Who runs in this process, and who waits for that. */
export class SlotTable {
  readonly running = new Map<RunId, ConversationId>()
  /** The heads first, each of the two parts in the order in which they came. */
  queue: readonly Waiting[] = []
}

/**
 * Decides which run gets a slot: first in, first out, but a run whose wait is over goes before new ones. A slot belongs
 * to a run until it is released; releasing it twice, or one that was never held, changes nothing.
 */
export class Scheduler {
  readonly #limits: SchedulerLimits
  readonly #slots: SlotTable

  /** `slots`: those of other schedulers too, each with limits of its own, of which no conversation has two. */
  constructor(limits: SchedulerLimits, slots = new SlotTable()) {
    this.#limits = limits
    this.#slots = slots
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
    this.#slots.queue = queue.toSpliced(at, 0, { ...request, where, isFree })
    return 'queued'
  }

  /** Gives back a slot, or the place in the queue, and hands on what became free. */
  release(runId: RunId): void {
    this.#slots.running.delete(runId)
    this.#slots.queue = this.#slots.queue.filter((each) => each.runId !== runId)
    this.#grantNext()
  }

  holds(runId: RunId): boolean {
    return this.#slots.running.has(runId)
  }

  /** 1 for the next of its conversation; undefined when it does not wait. */
  position(runId: RunId): number | undefined {
    const request = this.#slots.queue.find((each) => each.runId === runId)
    return request && 1 + this.waiting(request.conversationId).indexOf(runId)
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
    const own = [...running.values()].filter((each) => each === conversationId).length
    return own < this.#limits.maxConcurrent && running.size < this.#limits.globalConcurrent
  }

  #grantNext(): void {
    for (;;) {
      const next = this.#slots.queue.find(({ isFree }) => isFree())
      if (!next) return
      this.#slots.queue = this.#slots.queue.filter((each) => each !== next)
      this.#slots.running.set(next.runId, next.conversationId)
      next.onGrant()
    }
  }
}
