import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { unreachable } from '../../core/errors.ts'
import {
  changedColumns,
  checked,
  noRow,
  shapes,
  type AnyQuery,
  type Engine,
  type Row,
  type Shape,
} from '../engine.ts'
import type { Table } from '../port.ts'
import type { BaseKind } from '../tables.ts'
import { asStoreError, isLocked } from './sqlite-errors.ts'
import { Statements, SUM } from './statements.ts'
import { sumOf } from './sums.ts'
import { StillThere } from './still-there.ts'
import { Trace } from './trace.ts'

/** Rows in an open database of the current version. Errors become OffshootErrors that name the file. */
export class SqliteEngine implements Engine {
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #statements: Statements
  readonly #readers: Record<Table, RowReader>
  readonly #stillThere: StillThere
  readonly #trace: Trace | undefined
  #full: boolean | undefined
  #begun = false
  /** The last database error, in case it ended the transaction. */
  #error: Error | undefined

  constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
    this.#statements = new Statements(db)
    this.#stillThere = new StillThere(db, file)
    this.#trace = file === ':memory:' ? undefined : new Trace(file)
    this.#readers = Object.fromEntries(
      Object.values(shapes()).map((shape) => [shape.table, new RowReader(shape)]),
    ) as Record<Table, RowReader>
  }

  get(table: Table, key: string): Row | undefined {
    const reader = this.#readers[table]
    return this.#read(() => {
      const row = this.#statements.get(reader.shape).get(key) as Values | undefined
      return row && reader.read(row)
    })
  }

  find(table: Table, query: AnyQuery): Row[] {
    const reader = this.#readers[table]
    return this.#read(() => {
      const values = whereValues(reader.shape, query.where ?? {})
      if (query.after !== undefined) values.push(query.after)
      if (query.before !== undefined) values.push(query.before)
      if (query.limit !== undefined && query.limit !== 1) values.push(query.limit)
      const rows = this.#statements.find(reader.shape, query).all(...values)
      return (rows as unknown as Values[]).map((row) => reader.read(row))
    })
  }

  count(table: Table, where: Row): number {
    const { shape } = this.#readers[table]
    return this.#read(() => {
      const statement = this.#statements.count(shape, where)
      return (statement.get(...whereValues(shape, where)) as unknown as [number])[0]
    })
  }

  /** sqlite.org/pragma.html#pragma_data_version */
  dataVersion(): number {
    return this.#read(() => {
      const row = this.#statements.fixed('PRAGMA data_version').get()
      return (row as unknown as readonly [number])[0]
    })
  }

  insert(table: Table, row: Row): void {
    const { shape } = this.#readers[table]
    const values = shape.names.map((name) => stored(shape, name, row[name]))
    if (shape.summed !== undefined) values.push(sumOf(values[shape.names.indexOf(shape.summed)]!))
    this.#run(
      this.#guard(() => this.#statements.insert(shape)),
      values,
    )
  }

  update(table: Table, key: string, change: Row): void {
    const { shape } = this.#readers[table]
    const names = changedColumns(shape, key, change)
    if (names.length === 0) return void (this.get(table, key) ?? fail(table, key))
    const values = names.map((name) => stored(shape, name, change[name]))
    if (shape.summed !== undefined && names.includes(shape.summed)) {
      values.push(sumOf(values[names.indexOf(shape.summed)]!))
      names.push(SUM)
    }
    const changes = this.#run(
      this.#guard(() => this.#statements.update(shape, names)),
      [...values, key],
    )
    if (changes === 0) fail(table, key)
  }

  delete(table: Table, key: string): boolean {
    if (table === 'conversations') this.#run(this.#statements.fixed(UNCHAIN), [key])
    return this.#run(this.#statements.delete(this.#readers[table].shape), [key]) > 0
  }

  begin(durable: boolean): void {
    this.#error = undefined
    this.#stillThere.check()
    this.#guard(() => {
      if (this.#full !== durable) this.#db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
      this.#full = durable
      this.#statements.fixed('BEGIN IMMEDIATE').run()
      this.#stillThere.begun()
    })
    this.#begun = true
  }

  savepoint(): void {
    this.#run(this.#statements.fixed('SAVEPOINT member'))
  }

  release(): void {
    this.#run(this.#statements.fixed('RELEASE member'))
  }

  rollbackToSavepoint(): void {
    this.#run(this.#statements.fixed('ROLLBACK TO member'))
    this.release()
  }

  commit(): void {
    this.#run(this.#statements.fixed('COMMIT'))
    this.#begun = false
    this.#trace?.written()
  }

  rollback(): void {
    this.#begun = false
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    } catch (error) {
      // uncommitted work is void either way; the next transaction reports one that stays open
      this.#error = asStoreError(error, this.#file)
    }
  }

  lost(): Error | undefined {
    return this.#begun && !this.#db.isTransaction ? this.#error : undefined
  }

  close(): void {
    this.#guard(() => this.#db.close())
    this.#trace?.closed()
  }

  #run(statement: StatementSync, values: SQLInputValue[] = []): number {
    return this.#guard(() => Number(statement.run(...values).changes))
  }

  /** The connection itself does not wait, because that would block the whole process. */
  #read<T>(work: () => T): T {
    let from: number | undefined
    for (;;) {
      try {
        return this.#guard(work)
      } catch (error) {
        if (!isLocked(error)) throw error
        from ??= performance.now()
        if (performance.now() - from > READ_BUSY_MS) throw error
        Atomics.wait(PAUSE, 0, 0, PAUSE_MS)
      }
    }
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.#error = asStoreError(error, this.#file)
      throw this.#error
    }
  }
}

/** A reader waits only while another process repairs the log of a killed one. */
const READ_BUSY_MS = 5_000
const PAUSE_MS = 5
const PAUSE = new Int32Array(new SharedArrayBuffer(4))

/** Chains of forks can exceed SQLite's cascade depth (1,000). */
const UNCHAIN =
  'UPDATE branches SET parent_branch_id = NULL, origin_message_id = NULL WHERE conversation_id = ?'

type Values = readonly SQLOutputValue[]

class RowReader {
  readonly shape: Shape
  readonly #names: readonly string[]
  readonly #kinds: readonly BaseKind[]

  constructor(shape: Shape) {
    this.shape = shape
    this.#names = shape.names
    this.#kinds = shape.names.map((name) => shape.columns[name]!.kind)
  }

  read(values: Values): Row {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < values.length; i++) row[this.#names[i]!] = loaded(this.#kinds[i]!, values[i]!)
    return row
  }
}

function whereValues(shape: Shape, where: Row): SQLInputValue[] {
  return Object.keys(where)
    .filter((name) => where[name] !== null && shape.columns[name] !== undefined)
    .map((name) => stored(shape, name, where[name]))
}

function stored(shape: Shape, name: string, value: unknown): SQLInputValue {
  const plain = checked(shape, name, value)
  if (plain instanceof Uint8Array) return zstdCompressSync(plain)
  return typeof plain === 'boolean' ? Number(plain) : (plain as SQLInputValue)
}

function loaded(kind: BaseKind, value: SQLOutputValue): unknown {
  if (value === null) return null
  switch (kind) {
    case 'text':
    case 'int':
    case 'real':
      return value
    case 'bool':
      return value !== 0
    case 'json':
      return JSON.parse(value as string)
    case 'packed':
      return new Uint8Array(zstdDecompressSync(value as Uint8Array))
    default:
      return unreachable(kind)
  }
}

function fail(table: Table, key: string): never {
  throw noRow(table, key)
}
