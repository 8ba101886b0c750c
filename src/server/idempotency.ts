import { createHash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { bestEffort } from '../core/rejections.ts'
import { Problem, problemBody, problemOf } from './problem.ts'
import type { Store } from './directory-runtimes.ts'

/** A response to store. */
export interface KeyedAnswer {
  readonly status: number
  readonly body: unknown
}

export interface Named {
  /** The header Idempotency-Key. */
  readonly key: string
  readonly method: string
  readonly path: string
  readonly input: unknown
}

const KEEP_MS = 86_400_000
const SHAPE = /^[\x21-\x7e]{1,255}$/

/**
 * Requests that a client may repeat without knowing whether they arrived: each is executed once and answered the same
 * way for a day. A request whose process exited is not executed again.
 */
export class Idempotency {
  readonly #store: Store
  readonly #clock: Clock
  readonly #open = new Map<string, Promise<KeyedAnswer>>()

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** @throws Problem 422 for an invalid key, 409 for one of another request or one without a known response. */
  async once(
    { key, ...named }: Named,
    work: () => Promise<KeyedAnswer>,
  ): Promise<KeyedAnswer & { readonly isAgain: boolean }> {
    if (!SHAPE.test(key))
      throw new Problem(422, 'invalid', 'Idempotency-Key: expected 1 to 255 visible ASCII characters')
    const request = createHash('sha256').update(JSON.stringify(named)).digest('hex')
    const known = await this.#start(key, request)
    if (known === undefined) return { ...(await this.#do(key, work)), isAgain: false }
    if (known.request !== request)
      throw new Problem(
        409,
        'conflict',
        'this Idempotency-Key was used for a different request',
        'use a new key',
      )
    const answer = (await this.#open.get(key)) ?? (known.answer as KeyedAnswer | null)
    if (answer) return { ...answer, isAgain: true }
    throw new Problem(
      409,
      'conflict',
      'the process that ran this request exited before it finished; its effect is unknown',
      'check its effect before you send it again with a new Idempotency-Key',
    )
  }

  /** The stored state of a key; undefined: it is claimed now. */
  async #start(key: string, request: string) {
    const createdAt = this.#clock.now()
    return await this.#store.tx(
      (tx) => {
        const old = { before: createdAt - KEEP_MS, orderBy: 'createdAt', limit: 100 } as const
        for (const { id } of tx.find('idempotency', old)) tx.delete('idempotency', id)
        const known = tx.get('idempotency', key)
        if (!known) tx.insert('idempotency', { id: key, request, answer: null, createdAt })
        return known
      },
      { durable: true },
    )
  }

  async #do(key: string, work: () => Promise<KeyedAnswer>): Promise<KeyedAnswer> {
    const done = this.#answered(key, work)
    this.#open.set(key, done)
    try {
      return await done
    } finally {
      this.#open.delete(key)
    }
  }

  /** Internal errors may be retried with the same key; refusals are repeated. */
  async #answered(key: string, work: () => Promise<KeyedAnswer>): Promise<KeyedAnswer> {
    const answer = await work().catch(async (error: unknown): Promise<KeyedAnswer> => {
      const problem = problemOf(error)
      if (problem.status < 500) return { status: problem.status, body: problemBody(problem) }
      await bestEffort(this.#store.tx((tx) => tx.delete('idempotency', key), { durable: true }))
      throw error
    })
    await this.#store.tx((tx) => tx.update('idempotency', key, { answer }), { durable: true })
    return answer
  }
}
