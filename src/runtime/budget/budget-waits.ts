import type { RunId } from '../../core/ids.ts'

/** What a run waits for that waits for budget. */
export interface Claim {
  readonly id: RunId
  readonly depth: number
  /** Tokens that it has spent. */
  readonly used: number
  /** Whether it could go on with what is unreserved now. */
  readonly fits: () => boolean
}

/** Those who wait for budget. All of them look again whenever something has changed. */
export class BudgetWaits {
  readonly #claims = new Map<RunId, Claim>()
  #changed: PromiseWithResolvers<void> | undefined
  #turn: RunId | undefined

  /** Who has asked since the last change, and has to wait. Who has still to look again is none of them. */
  get waiting(): Pick<ReadonlySet<RunId>, 'has'> {
    return this.#claims
  }

  /** Resolves at the next change. */
  enter(claim: Claim): Promise<void> {
    this.#claims.set(claim.id, claim)
    return (this.#changed ??= Promise.withResolvers()).promise
  }

  /** It looks again. True: it is its turn, so that it waits for nobody. */
  leave(id: RunId): boolean {
    this.#claims.delete(id)
    const isTurn = this.#turn === id
    if (isTurn) this.#turn = undefined
    return isTurn
  }

  /**
   * Whose turn it is when all wait, this one too: of those that fit the deepest, so that whoever waits for it goes on, and of
   * these the one that has spent least. Where none fits, the last of the deepest has to give up.
   */
  next(claim: Claim): RunId {
    const all = [...this.#claims.values(), claim].toSorted((a, b) => b.depth - a.depth || a.used - b.used)
    const first = all.find(({ fits }) => fits())
    return (first ?? all.findLast(({ depth }) => depth === all[0]!.depth)!).id
  }

  /** All look again, and this one waits for nobody. A change before that takes its turn back. */
  giveTurn(id: RunId): void {
    this.wake()
    this.#turn = id
  }

  readonly wake = (): void => {
    this.#claims.clear()
    this.#turn = undefined
    this.#changed?.resolve()
    this.#changed = undefined
  }
}
