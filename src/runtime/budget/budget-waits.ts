import type { RunId } from '../../core/ids.ts'

/** What a run that waits for budget needs. */
export interface Claim {
  readonly id: RunId
  readonly depth: number
  /** Tokens that it has spent. */
  readonly used: number
  /** Whether it could continue with the currently unreserved budget. */
  readonly fits: () => boolean
}

/** Runs that wait for budget. All of them check again after every change. */
export class BudgetWaits {
  readonly #claims = new Map<RunId, Claim>()
  #changed: PromiseWithResolvers<void> | undefined
  #turn: RunId | undefined

  /** Runs that checked since the last change and must wait. Runs that have not checked again are not included. */
  get waiting(): Pick<ReadonlySet<RunId>, 'has'> {
    return this.#claims
  }

  /** Resolves at the next change. */
  enter(claim: Claim): Promise<void> {
    this.#claims.set(claim.id, claim)
    return (this.#changed ??= Promise.withResolvers()).promise
  }

  /** Checks again. True: it is its turn, so it need not wait. */
  leave(id: RunId): boolean {
    this.#claims.delete(id)
    const isTurn = this.#turn === id
    if (isTurn) this.#turn = undefined
    return isTurn
  }

  /**
   * Picks who continues when all wait, including this run: among those that fit, the deepest, because others wait for
   * it; among these, the one that has spent least. If none fits, the last of the deepest must give up.
   */
  next(claim: Claim): RunId {
    const all = [...this.#claims.values(), claim].toSorted((a, b) => b.depth - a.depth || a.used - b.used)
    const first = all.find(({ fits }) => fits())
    return (first ?? all.findLast(({ depth }) => depth === all[0]!.depth)!).id
  }

  /** All check again, and this one need not wait. An earlier change revokes its turn. */
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
