/** Fewer starts leave event-loop turns idle; more use memory and delay the last answer. */
const A_TURN = 8

/**
 * Limits how many runs start per event-loop turn, in order of request. Early runs work while later ones start, so fewer
 * requests are open at once, and no run waits for all the others.
 */
export class StartQueue {
  #left = A_TURN
  #waiting: (() => void)[] = []

  /** Resolves when it is the caller's turn, usually at once. */
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
