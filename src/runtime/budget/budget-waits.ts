import type { RunId } from '../../core/ids.ts'

/** Those who wait for budget. All of them look again whenever something has changed. */
export class BudgetWaits {
  readonly #waiting = new Set<RunId>()
  #changed: PromiseWithResolvers<void> | undefined

  /** Who has asked since the last change, and has to wait. Who has still to look again is none of them. */
  get waiting(): ReadonlySet<RunId> {
    return this.#waiting
  }

  /** Resolves at the next change. */
  enter(id: RunId): Promise<void> {
    this.#waiting.add(id)
    return (this.#changed ??= Promise.withResolvers()).promise
  }

  leave(id: RunId): void {
    this.#waiting.delete(id)
  }

  readonly wake = (): void => {
    this.#waiting.clear()
    this.#changed?.resolve()
    this.#changed = undefined
  }
}
