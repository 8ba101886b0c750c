import { OffshootError } from '../../src/core/errors.ts'
import type { AnyQuery, Engine, Row } from '../../src/store/engine.ts'
import type { Table } from '../../src/store/port.ts'
import type { Random } from './random.ts'
import type { SimProcess } from './process.ts'
import type { World } from './world.ts'

/** One change of a row, as its transaction left it. */
export interface Write {
  readonly table: Table
  readonly key: string
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/**
 * The store of a world as one process sees it: what is committed is everybody's, what is not dies with the process, and
 * its disk may be full, locked or out of order.
 */
export class ProcessEngine implements Engine {
  readonly #world: World
  readonly #process: SimProcess
  readonly #random: Random
  #writes: Write[] = []
  #mark = 0
  /** Whether what is under way is synced when it is committed. */
  #isSynced = true
  #own = 0

  constructor(world: World, process: SimProcess) {
    this.#world = world
    this.#process = process
    this.#random = world.random(`disk of ${process.name}`)
  }

  get(table: Table, key: string): Row | undefined {
    return this.#live().get(table, key)
  }

  find(table: Table, query: AnyQuery): Row[] {
    const rows = this.#live().find(table, query)
    if (table === 'commands') this.#world.withdrawals.read(rows)
    return rows
  }

  count(table: Table, where: Row): number {
    return this.#live().count(table, where)
  }

  /** How often others have written. */
  dataVersion(): number {
    return this.#world.commits - this.#own
  }

  insert(table: Table, row: Row): void {
    this.#live().insert(table, row)
    this.#wrote(table, keyOf(table, row), undefined, row)
  }

  update(table: Table, key: string, change: Row): void {
    const engine = this.#live()
    const before = engine.get(table, key)
    engine.update(table, key, change)
    this.#wrote(table, key, before, engine.get(table, key))
  }

  delete(table: Table, key: string): boolean {
    const engine = this.#live()
    const before = engine.get(table, key)
    this.#wrote(table, key, before, undefined)
    return engine.delete(table, key)
  }

  begin(durable: boolean): void {
    this.#isSynced = durable && !this.#world.off.has('full-sync')
    this.#live()
    this.#world.late?.()
    if (this.#fails()) throw this.#failure('store_locked', 'the database is locked')
    this.#world.withdrawals.beforeWrite()
    this.#world.engine.begin()
  }

  savepoint(): void {
    this.#mark = this.#writes.length
    this.#world.engine.savepoint()
  }

  release(): void {}

  rollbackToSavepoint(): void {
    this.#writes.length = this.#mark
    this.#world.engine.rollbackToSavepoint()
  }

  /** All that a crash can part is here: before this nothing is there, and after it all is. */
  commit(): void {
    const { plan, isCalm } = this.#world
    if (plan.disk.failure > 0 && !isCalm && this.#fails()) throw this.#failure('store_full', 'fsync failed')
    this.#process.meet('commit', 'before')
    this.#live()
    const writes = this.#writes
    this.#writes = []
    if (this.#world.off.has('answer-after-commit')) this.#commitLate(writes)
    else this.#commitNow(writes, this.#isSynced)
    this.#process.meet('commit', 'after')
  }

  #commitNow(writes: readonly Write[], isSynced: boolean): void {
    this.#world.engine.commit()
    this.#world.power.committed(writes, isSynced)
    this.#world.commits++
    this.#own++
    this.#world.watch.committed(this.#process, writes)
  }

  /** What the store would be if it answered before COMMIT, as databases with an asynchronous commit do. */
  #commitLate(writes: readonly Write[]): void {
    const isSynced = this.#isSynced
    const commit = () => {
      if (this.#world.late !== commit) return
      this.#world.late = undefined
      if (this.#process.isGone) this.#world.engine.rollback()
      else this.#commitNow(writes, isSynced)
    }
    this.#world.late = commit
    this.#world.timeline.after(LATE_MS, commit)
  }

  rollback(): void {
    this.#writes = []
    this.#world.engine.rollback()
  }

  lost(): Error | undefined {
    return undefined
  }

  close(): void {}

  /** What is stored. @throws Gone, so that a dead process reads and writes nothing */
  #live() {
    if (this.#process.isGone) throw new Gone()
    return this.#world.engine
  }

  #wrote(table: Table, key: string, before: Row | undefined, after: Row | undefined): void {
    this.#writes.push({ table, key, before, after })
  }

  #fails(): boolean {
    const { plan, isCalm } = this.#world
    return !isCalm && this.#random.chance(plan.disk.failure / 2)
  }

  #failure(code: 'store_full' | 'store_locked', message: string): OffshootError {
    this.#world.count('disk')
    this.#world.note(this.#process.name, () => `its disk: ${message}`)
    return new OffshootError(code, message)
  }
}

const LATE_MS = 100

/** What a process that has died meets wherever it turns; nobody is told. */
class Gone extends Error {}

function keyOf(table: Table, row: Row): string {
  const key = table === 'todos' ? row['branchId'] : table === 'leases' ? row['conversationId'] : row['id']
  return String(key ?? row['conversationId'])
}
