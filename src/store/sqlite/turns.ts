import { closeSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Turns } from '../group-commit.ts'
import { isLeft, placeName } from './queue-places.ts'

/** How long a writer waits without any commit of others, by default. */
export const BUSY_TIMEOUT_MS = 10_000
/**
 * Bound of the total wait, in multiples of that: creating, copying or migrating a store takes long, and so do many
 * writers.
 */
const MOST = 12

/** Usually one commit of another process is awaited, which takes a few milliseconds. */
const SOON_MS = 10
/** Between two tries of a process that is not next: for each one before it. */
const PLACE_MS = 10
const LONGEST_MS = 500
/** Shortest interval at which a writer of many transactions checks for a queue. */
const EVERY_MS = 5

/**
 * The queue of a file's writers: SQLite has none, and lets newcomers pass. A writer that has waited for a moment puts a
 * file into a folder beside the database; the names' order is the writers' order, and those further back try less
 * often. The queue only schedules tries. SQLite's lock decides who writes: a stale or lost file costs a place, and a
 * folder that cannot be created costs the order.
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

  /** Never throws: a transaction meets the same error when it starts, and fails with it. */
  isThere(): boolean {
    try {
      return statSync(this.#folder, { throwIfNoEntry: false }) !== undefined
    } catch {
      return false
    }
  }

  /** How many are before this one; joins the queue if necessary. */
  before(): number {
    try {
      const isNew = this.#own === undefined
      this.#own ??= enter(this.#folder)
      const place = this.#waiting(isNew).indexOf(this.#own)
      if (place !== -1) return place
      this.#own = undefined // another process took it for abandoned
      return isNew ? 1 : this.before()
    } catch {
      this.leave()
      return 1
    }
  }

  /** Removes places of exited processes: all of them, or only those at the front, which is cheaper. */
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
      // other places are in it
    }
  }
}

function enter(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = placeName()
  closeSync(openSync(join(folder, name), 'wx', 0o600))
  return name
}

/** The number of names before the first that does not match. */
function countWhile(names: readonly string[], fits: (name: string) => boolean): number {
  const end = names.findIndex((name) => !fits(name))
  return end === -1 ? names.length : end
}
