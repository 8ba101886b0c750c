import { closeSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Turns } from '../group-commit.ts'
import { isLeft, placeName } from './queue-places.ts'

/** How long a writer waits while nobody else commits anything, unless a caller names another time. */
export const BUSY_TIMEOUT_MS = 10_000
/** The bound of all waiting, in such times: who makes, copies or migrates a store takes long, and many writers do. */
const MOST = 12

/** In most cases one commit of one other process is waited for, which takes a few milliseconds. */
const SOON_MS = 10
/** Between two tries of a process that is not the next: for each one before it. */
const PLACE_MS = 10
const LONGEST_MS = 500
/** A writer of many transactions looks for a queue no more often. */
const EVERY_MS = 5

/**
 * The queue of the writers of a file: SQLite has none, and lets newcomers pass. Whoever has waited for a moment puts a
 * file into a folder beside the database; the order of the names is the order of the writers, and the further behind,
 * the less often a process tries. The queue decides about the time of tries alone. Who writes is decided by the lock of
 * SQLite: a file that a process leaves behind, or loses, costs a place, and a folder that cannot be made costs the order.
 */
export function takeTurns(file: string, timeoutMs: number, random: () => number = Math.random): Turns {
  const queue = new Queue(`${file}-turns`)
  let lookedAt = 0
  let isQueue = false
  return {
    isQueue() {
      const now = performance.now()
      if (now - lookedAt < EVERY_MS) return isQueue
      lookedAt = now
      return (isQueue = queue.isThere())
    },
    next(waitedMs, idleMs = 0) {
      if (idleMs >= timeoutMs || waitedMs >= MOST * timeoutMs) return undefined
      if (waitedMs < SOON_MS && !queue.isThere()) return 1 + 2 * random()
      const before = queue.before()
      return before === 0 ? 1 + 3 * random() : Math.min(LONGEST_MS, PLACE_MS * before * (0.75 + random() / 2))
    },
    over: () => queue.leave(),
  }
}

class Queue {
  readonly #folder: string
  #own: string | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Never throws: a transaction meets the same error when it begins, and fails with it. */
  isThere(): boolean {
    try {
      return statSync(this.#folder, { throwIfNoEntry: false }) !== undefined
    } catch {
      return false
    }
  }

  /** How many are before this one, which enters if it has not yet. */
  before(): number {
    try {
      const isNew = this.#own === undefined
      this.#own ??= enter(this.#folder)
      const place = this.#waiting(isNew).indexOf(this.#own)
      if (place !== -1) return place
      this.#own = undefined // somebody took it for left
      return isNew ? 1 : this.before()
    } catch {
      this.leave()
      return 1
    }
  }

  /** Removes what ended processes have left: all of it, or, which costs less, what has come to the front. */
  #waiting(all: boolean): string[] {
    const names = readdirSync(this.#folder).toSorted()
    const isOthersAndLeft = (name: string) => name !== this.#own && isLeft(name)
    const left = all ? names.filter(isOthersAndLeft) : names.slice(0, countWhile(names, isOthersAndLeft))
    for (const name of left) rmSync(join(this.#folder, name), { force: true })
    return names.filter((name) => !left.includes(name))
  }

  leave(): void {
    if (this.#own === undefined) return
    try {
      rmSync(join(this.#folder, this.#own), { force: true })
      this.#own = undefined
      rmdirSync(this.#folder)
    } catch {
      // others are in it
    }
  }
}

function enter(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = placeName()
  closeSync(openSync(join(folder, name), 'wx', 0o600))
  return name
}

/** The number of names before the first that does not fit. */
function countWhile(names: readonly string[], fits: (name: string) => boolean): number {
  const end = names.findIndex((name) => !fits(name))
  return end === -1 ? names.length : end
}
