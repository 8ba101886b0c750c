import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { hashOf, isSameHash } from '../installation-token.ts'

/** Lifetime of a link, milliseconds. */
export const LINK_MS = 10 * 60_000
const MAX_LINKS = 100
/** Wrong keys per minute before requests are delayed. */
const MAX_WRONG = 20
const WINDOW_MS = 60_000

/** Keys of sign-in links. Each signs in one browser, once. Only hashes are kept. */
export class LinkKeys {
  readonly #clock: Clock
  #open: { readonly hash: Buffer; readonly endsAt: number }[] = []
  #wrong: number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** 32 random bytes. If there are too many unused keys, the oldest expires. */
  make(): string {
    const key = randomBytes(32).toString('base64url')
    const endsAt = this.#clock.now() + LINK_MS
    this.#open = [...this.#open, { hash: hashOf(key), endsAt }].slice(-MAX_LINKS)
    return key
  }

  /**
   * Redeems the key. `many`: the key is wrong, and so were too many before it. A right key always works: it cannot be
   * guessed, and a program that sends wrong ones must not lock the person out.
   */
  use(given: string): 'used' | 'wrong' | 'many' {
    const now = this.#clock.now()
    this.#open = this.#open.filter(({ endsAt }) => endsAt > now)
    const hash = hashOf(given)
    const left = this.#open.filter((each) => !isSameHash(each.hash, hash))
    const isRight = left.length < this.#open.length
    this.#open = left
    return isRight ? 'used' : this.#countWrong(now)
  }

  #countWrong(now: number): 'wrong' | 'many' {
    this.#wrong = [...this.#wrong.filter((at) => at > now - WINDOW_MS), now].slice(-MAX_WRONG - 1)
    return this.#wrong.length > MAX_WRONG ? 'many' : 'wrong'
  }
}
