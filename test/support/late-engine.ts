import { SqliteEngine } from '../../src/store/sqlite/sqlite-engine.ts'

const LATE_MS = 100

/**
 * What the store would be if it answered before COMMIT, as databases with an asynchronous commit do: each transaction is
 * committed when the next one begins, or after a moment.
 */
export class LateEngine extends SqliteEngine {
  #late: NodeJS.Timeout | undefined

  override begin(durable: boolean): void {
    this.#commitNow()
    super.begin(durable)
  }

  override commit(): void {
    this.#late = setTimeout(() => this.#commitNow(), LATE_MS)
  }

  override close(): void {
    this.#commitNow()
    super.close()
  }

  #commitNow(): void {
    if (!this.#late) return
    clearTimeout(this.#late)
    this.#late = undefined
    super.commit()
  }
}
