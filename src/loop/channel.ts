/** A queue with one reader: what side-by-side calls push, in the order in which it was pushed. */
export class Channel<T> implements AsyncIterable<T> {
  #items: T[] = []
  #closed = false
  #wake: (() => void) | undefined

  push(item: T): void {
    this.#items.push(item)
    this.#wake?.()
  }

  close(): void {
    this.#closed = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const items = this.#items
      this.#items = []
      yield* items
      if (this.#items.length > 0) continue
      if (this.#closed) return
      await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#wake = undefined
    }
  }
}
