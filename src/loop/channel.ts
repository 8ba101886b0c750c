/** A queue with several writers and one reader, in the order of the writes. */
export class Channel<T> {
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

  /** Everything since the last call, at least one item; undefined when it is closed and empty. */
  async take(): Promise<readonly T[] | undefined> {
    while (this.#items.length === 0) {
      if (this.#closed) return undefined
      await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#wake = undefined
    }
    const items = this.#items
    this.#items = []
    return items
  }
}
