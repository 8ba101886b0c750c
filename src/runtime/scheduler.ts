import type { ConversationId, RunId } from '../core/ids.ts'

export interface SlotRequest {
  readonly runId: RunId
  readonly conversationId: ConversationId
  /** Called once when a slot is free, never before `request` has returned. */
  readonly onGrant: () => void
}

export interface SchedulerLimits {
  /** Children that run at the same time in one conversation. */
  readonly maxConcurrent: number
  /** And in this process. */
  readonly globalConcurrent: number
  /** Runs of one conversation that may wait. */
  readonly maxQueue: number
}

interface Waiting extends SlotRequest {
  readonly where: 'head' | 'end'
}

/**
 * Who may run now (runtime.md §8): first in, first out, but that a run whose wait is over goes before new ones. A slot is
 * held until it is given back; it belongs to a run, so giving back twice or what was never held changes nothing.
 */
export class Scheduler {
  readonly #limits: SchedulerLimits
  readonly #running = new Map<RunId, ConversationId>()
  /** The heads first, each of the two parts in the order in which they came. */
  #queue: Waiting[] = []

  constructor(limits: SchedulerLimits) {
    this.#limits = limits
  }

  /**
   * Takes a slot if one is free and nobody of this conversation waits for it; otherwise waits at the end, or at the head
   * behind those that came there before. Who holds one still keeps it.
   */
  request(request: SlotRequest, where: 'head' | 'end' = 'end'): 'granted' | 'queued' {
    if (this.holds(request.runId)) return 'granted'
    const waits =
      where === 'end' && this.#queue.some((each) => each.conversationId === request.conversationId)
    if (!waits && this.#isFree(request.conversationId)) {
      this.#running.set(request.runId, request.conversationId)
      return 'granted'
    }
    const heads = this.#queue.filter((each) => each.where === 'head').length
    this.#queue.splice(where === 'head' ? heads : this.#queue.length, 0, { ...request, where })
    return 'queued'
  }

  /** Gives back a slot, or the place in the queue, and hands on what became free. */
  leave(runId: RunId): void {
    this.#running.delete(runId)
    this.#queue = this.#queue.filter((each) => each.runId !== runId)
    this.#grantNext()
  }

  holds(runId: RunId): boolean {
    return this.#running.has(runId)
  }

  /** 1 for the next of its conversation; undefined when it does not wait. */
  position(runId: RunId): number | undefined {
    const request = this.#queue.find((each) => each.runId === runId)
    return request && 1 + this.waiting(request.conversationId).indexOf(runId)
  }

  /** The runs of a conversation that wait, the next first. */
  waiting(conversationId: ConversationId): RunId[] {
    return this.#queue.filter((each) => each.conversationId === conversationId).map((each) => each.runId)
  }

  /** Whether one more would have to wait, and may not. */
  isFull(conversationId: ConversationId): boolean {
    const waiting = this.waiting(conversationId).length
    return waiting >= this.#limits.maxQueue && (waiting > 0 || !this.#isFree(conversationId))
  }

  #isFree(conversationId: ConversationId): boolean {
    const own = [...this.#running.values()].filter((each) => each === conversationId).length
    return own < this.#limits.maxConcurrent && this.#running.size < this.#limits.globalConcurrent
  }

  #grantNext(): void {
    for (;;) {
      const next = this.#queue.find((each) => this.#isFree(each.conversationId))
      if (!next) return
      this.#queue = this.#queue.filter((each) => each !== next)
      this.#running.set(next.runId, next.conversationId)
      next.onGrant()
    }
  }
}
