interface Due {
  readonly at: number
  readonly order: number
  fn: (() => void) | undefined
}

/** The time of a simulated world: it stands still while anything can go on, and then jumps to what is due next. */
export class Timeline {
  now: number
  #order = 0
  /** A binary heap: the next one first. */
  readonly #due: Due[] = []

  constructor(start: number) {
    this.now = start
  }

  /** Calls `fn` in `ms`; what is due at the same time is called in the order in which it was asked for. */
  after(ms: number, fn: () => void): () => void {
    const due: Due = { at: this.now + Math.max(0, ms), order: this.#order++, fn }
    this.#push(due)
    return () => void (due.fn = undefined)
  }

  /** Lets things happen until `isDone`, or for so long. False: it was for so long. */
  async run(isDone: () => boolean, atMostMs: number): Promise<boolean> {
    const end = this.now + atMostMs
    await turn()
    while (!isDone()) {
      const due = this.#due[0]
      if (!due || due.at > end) {
        this.now = end
        return false
      }
      this.#pop()
      if (!due.fn) continue
      this.now = Math.max(this.now, due.at)
      due.fn()
      await turn()
    }
    return true
  }

  #push(due: Due): void {
    const heap = this.#due
    let at = heap.push(due) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!isBefore(due, heap[above]!)) break
      heap[at] = heap[above]!
      at = above
    }
    heap[at] = due
  }

  #pop(): void {
    const heap = this.#due
    const last = heap.pop()!
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= heap.length) break
      const right = left + 1
      const least = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left
      if (!isBefore(heap[least]!, last)) break
      heap[at] = heap[least]!
      at = least
    }
    heap[at] = last
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

/** One turn of the event loop: all promises that can settle have settled. Nothing here waits for anything real. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
