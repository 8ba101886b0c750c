/** Fewer leave turns of the event loop with little to do, more leave memory and time to the last one's answer. */
const A_TURN = 8

/**
 * Of many runs only a few begin in one turn of the event loop, in the order in which they ask. The first ones work while
 * the others begin, so that fewer requests are open at a time, and nobody waits until all of them are under way.
 */
export class StartQueue {
  #left = A_TURN
  #waiting: (() => void)[] = []

  /** Resolves when it is the caller's turn: mostly at once. */
  async admit(): Promise<void> {
    if (this.#left > 0) this.#admitOne()
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #admitOne(): void {
    if (this.#left-- === A_TURN) setImmediate(() => this.#refill())
  }

  #refill(): void {
    this.#left = A_TURN
    for (const start of this.#waiting.splice(0, A_TURN)) {
      this.#admitOne()
      start()
    }
  }
}
