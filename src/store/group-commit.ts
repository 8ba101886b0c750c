import { OffshootError } from '../core/errors.ts'
import type { Engine, Row } from './engine.ts'
import type { Query, Rows, Store, Table, Tx, TxOptions } from './port.ts'

/** How writers of several processes wait for each other. None of these functions throws: no caller could catch it. */
export interface Turns {
  /** Whether others are already waiting. */
  readonly isQueue: () => boolean
  /**
   * Milliseconds until the next try of a writer that has waited this long, with no commit of others for `idleMs` of it;
   * undefined to give up.
   */
  readonly next: (waitedMs: number, idleMs?: number) => number | undefined
  /** The wait has ended, successfully or not. */
  readonly over: () => void
}

const NO_TURNS: Turns = { isQueue: () => false, next: () => undefined, over: () => {} }

export interface GroupCommitOptions {
  /** Calls its argument once, after the current work. Default: `setImmediate`. */
  readonly later?: (flush: () => void) => void
  /**
   * For a store that other processes lock: a group waits together with those that join it, and the event loop
   * continues. Default: one try without waiting.
   */
  readonly turns?: Turns
}

/**
 * A Store over an engine: the closures of one event-loop turn share a transaction at `setImmediate`, each in its own
 * savepoint, and every promise settles after its commit, in call order.
 */
export function groupCommit(
  engine: Engine,
  { later = setImmediate, turns = NO_TURNS }: GroupCommitOptions = {},
): Store {
  let closing: Promise<void> | undefined
  const group = new Group(engine, turns)
  const checkReadable = () => {
    if (closing) throw closedError()
    if (group.isWriting)
      throw new OffshootError('internal', 'inside store.tx, read through the tx that it hands over')
  }
  return {
    get<T extends Table>(table: T, key: string) {
      checkReadable()
      return engine.get(table, key) as Rows[T] | undefined
    },
    find<T extends Table>(table: T, query: Query<T>) {
      checkReadable()
      return engine.find(table, query) as unknown as Rows[T][]
    },
    count(table, where) {
      checkReadable()
      return engine.count(table, where)
    },
    dataVersion() {
      checkReadable()
      return engine.dataVersion()
    },
    tx<T>(write: (tx: Tx) => T, { durable }: TxOptions) {
      if (closing) return Promise.reject(closedError())
      return new Promise<T>((resolve, reject) => {
        const settle = (outcome: Outcome) =>
          outcome.ok ? resolve(outcome.value as T) : reject(outcome.error)
        if (group.add({ write, durable, settle }) === 1) later(() => group.flush())
      })
    },
    close() {
      closing ??= new Promise<void>((resolve) => {
        // immediates run in order, so started work is done or waiting by then
        setImmediate(() => group.whenIdle(resolve))
      }).then(() => engine.close())
      return closing
    },
  }
}

/** Closures for the next transaction. */
class Group {
  isWriting = false
  readonly #engine: Engine
  readonly #turns: Turns
  #pending: Member[] = []
  #waitingSince: number | undefined
  /** Time of the last commit of others during this wait. */
  #seen = { version: 0, at: 0 }
  #whenIdle = () => {}

  constructor(engine: Engine, turns: Turns) {
    this.#engine = engine
    this.#turns = turns
  }

  add(member: Member): number {
    return this.#pending.push(member)
  }

  whenIdle(idle: () => void): void {
    if (this.#pending.length === 0) idle()
    else this.#whenIdle = idle
  }

  flush(): void {
    if (this.#waitingSince === undefined && this.#turns.isQueue() && this.#wait()) return
    const refused = begun(this.#engine, this.#pending)
    if (refused && isLocked(refused.error) && this.#wait()) return
    if (this.#waitingSince !== undefined) this.#turns.over()
    this.#waitingSince = undefined
    const members = this.#pending
    this.#pending = []
    this.isWriting = true
    const outcomes = refused
      ? failed(this.#engine, members, refused.error)
      : commitTogether(this.#engine, members)
    this.isWriting = false
    members.forEach((member, i) => member.settle(outcomes[i]!))
    this.#whenIdle()
  }

  #version(): number {
    try {
      return this.#engine.dataVersion()
    } catch {
      return this.#seen.version // the next try meets the same error and reports it
    }
  }

  /** Whether to try again. */
  #wait(): boolean {
    const now = performance.now()
    const version = this.#version()
    if (this.#waitingSince === undefined || version !== this.#seen.version) this.#seen = { version, at: now }
    this.#waitingSince ??= now
    const delay = this.#turns.next(now - this.#waitingSince, now - this.#seen.at)
    if (delay !== undefined) setTimeout(() => this.flush(), delay)
    return delay !== undefined
  }
}

function begun(engine: Engine, members: readonly Member[]): { readonly error: unknown } | undefined {
  try {
    engine.begin(members.some((member) => member.durable))
    return undefined
  } catch (error) {
    return { error }
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof OffshootError && error.code === 'store_locked'
}

interface Member {
  readonly write: (tx: Tx) => unknown
  readonly durable: boolean
  readonly settle: (outcome: Outcome) => void
}

type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown }

function commitTogether(engine: Engine, members: readonly Member[]): Outcome[] {
  try {
    const outcomes =
      members.length === 1 ? [runAlone(engine, members[0]!)] : members.map((member) => runOne(engine, member))
    if (outcomes.some((outcome) => outcome.ok)) engine.commit()
    else engine.rollback()
    return outcomes
  } catch (error) {
    return failed(engine, members, error)
  }
}

function failed(engine: Engine, members: readonly Member[], error: unknown): Outcome[] {
  engine.rollback()
  return members.map(() => ({ ok: false, error }))
}

/** A single closure needs no savepoint: its failure fails the transaction. */
function runAlone(engine: Engine, member: Member): Outcome {
  const outcome = attempt(engine, member.write)
  throwIfLost(engine)
  return outcome
}

function runOne(engine: Engine, member: Member): Outcome {
  engine.savepoint()
  const outcome = attempt(engine, member.write)
  throwIfLost(engine)
  if (outcome.ok) engine.release()
  else engine.rollbackToSavepoint()
  return outcome
}

/** Then none of the group is stored, even if the closure caught the error. */
function throwIfLost(engine: Engine): void {
  const error = engine.lost()
  if (error !== undefined) throw error
}

function attempt(engine: Engine, write: (tx: Tx) => unknown): Outcome {
  const tx = new OpenTx(engine)
  try {
    const value = write(tx)
    if (!isThenable(value)) return { ok: true, value }
    value.then(undefined, () => undefined)
    return {
      ok: false,
      error: new OffshootError('internal', ASYNC, { hint: 'Await before or after store.tx, not in it.' }),
    }
  } catch (error) {
    return { ok: false, error }
  } finally {
    tx.end()
  }
}

const ASYNC = 'a closure of store.tx returned a promise; none of it was stored'

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

class OpenTx implements Tx {
  #engine: Engine | undefined

  constructor(engine: Engine) {
    this.#engine = engine
  }

  end(): void {
    this.#engine = undefined
  }

  get<T extends Table>(table: T, key: string): Rows[T] | undefined {
    return this.#open().get(table, key) as Rows[T] | undefined
  }

  find<T extends Table>(table: T, query: Query<T>): Rows[T][] {
    return this.#open().find(table, query) as unknown as Rows[T][]
  }

  count<T extends Table>(table: T, where: Partial<Rows[T]>): number {
    return this.#open().count(table, where)
  }

  insert<T extends Table>(table: T, row: Rows[T]): void {
    this.#open().insert(table, row as unknown as Row)
  }

  update<T extends Table>(table: T, key: string, change: Partial<Rows[T]>): void {
    this.#open().update(table, key, change)
  }

  delete(table: Table, key: string): boolean {
    return this.#open().delete(table, key)
  }

  #open(): Engine {
    if (this.#engine) return this.#engine
    throw new OffshootError('internal', 'a tx was used after its closure had returned')
  }
}

function closedError(): OffshootError {
  return new OffshootError('conflict', 'the store is closed', { hint: 'Open it again.' })
}
