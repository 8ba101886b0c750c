import { OffshootError } from '../core/errors.ts'
import type { Table } from './port.ts'
import { tables, type BaseKind, type Kind } from './tables.ts'

/** A row whose table is known only at run time. */
export type Row = Readonly<Record<string, unknown>>

export interface AnyQuery {
  readonly where?: Row
  readonly after?: number | string
  readonly before?: number | string
  readonly orderBy?: string
  readonly descending?: boolean
  readonly limit?: number
}

/** Operations of a store backend, one call at a time; `groupCommit` turns it into a Store. */
export interface Engine {
  get(table: Table, key: string): Row | undefined
  find(table: Table, query: AnyQuery): Row[]
  count(table: Table, where: Row): number
  /** Changes whenever another process has written. */
  dataVersion(): number
  insert(table: Table, row: Row): void
  update(table: Table, key: string, change: Row): void
  delete(table: Table, key: string): boolean
  begin(durable: boolean): void
  /** Creates a savepoint; one at a time. */
  savepoint(): void
  release(): void
  rollbackToSavepoint(): void
  commit(): void
  /** Rolls back an open transaction, if any. Never throws. */
  rollback(): void
  /** Why the transaction ended by itself (a full disk, say); undefined while it is open. */
  lost(): Error | undefined
  close(): void
}

/** The storage kind of a column, parsed once: every written value is checked against it. */
export interface ColumnShape {
  readonly kind: BaseKind
  readonly isNullable: boolean
}

/** A table's spec as both engines read it. */
export interface Shape {
  readonly table: Table
  readonly key: readonly string[]
  readonly order: string
  readonly columns: Readonly<Record<string, ColumnShape>>
  readonly names: readonly string[]
  readonly references: Readonly<Record<string, Table>>
  readonly unique: readonly (readonly [string, string])[]
  readonly summed?: string
  readonly lookups: readonly (readonly string[])[]
}

export function shapes(): Record<Table, Shape> {
  const names = Object.keys(tables) as Table[]
  return Object.fromEntries(names.map((table) => [table, shapeOf(table)])) as Record<Table, Shape>
}

function shapeOf(table: Table): Shape {
  const spec = tables[table]
  const columns = Object.entries<Kind>(spec.columns).map(([name, kind]) => [name, columnShape(kind)])
  return {
    ...spec,
    table,
    columns: Object.fromEntries(columns),
    names: Object.keys(spec.columns),
    references: spec.references,
  }
}

function columnShape(kind: Kind): ColumnShape {
  const isNullable = kind.endsWith('?')
  return { kind: (isNullable ? kind.slice(0, -1) : kind) as BaseKind, isNullable }
}

/** @throws OffshootError `internal` for an unknown column, or one that cannot be searched. */
export function checkWhere(shape: Shape, where: Row): readonly string[] {
  const names = Object.keys(where)
  for (const name of names) {
    const column = shape.columns[name]
    if (column === undefined) throw noColumn(shape, name)
    if (column.kind === 'packed' || where[name] === undefined)
      throw wrong(shape, name, 'cannot be searched for this value')
  }
  return names
}

/** The changed columns, without the key, which never changes. */
export function changedColumns(shape: Shape, key: string, change: Row): string[] {
  const names = Object.keys(change).filter((name) => name !== shape.key[0])
  for (const name of names) if (shape.columns[name] === undefined) throw noColumn(shape, name)
  const given = change[shape.key[0]!]
  if (given !== undefined && given !== key)
    throw wrong(shape, shape.key[0]!, 'is the key and does not change')
  return names
}

/** The value as both stores keep it, JSON as text. @throws OffshootError `internal` for a value of another kind. */
export function checked(shape: Shape, name: string, value: unknown): unknown {
  const { kind, isNullable } = shape.columns[name]!
  if (value === null || (value === undefined && isNullable)) {
    if (!isNullable) throw wrong(shape, name, 'must not be null')
    return null
  }
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? value.toWellFormed() : fail(shape, name, 'must be text', value)
    case 'int':
      return Number.isSafeInteger(value)
        ? (value as number) + 0
        : fail(shape, name, 'must be an integer', value)
    case 'real':
      return Number.isFinite(value)
        ? (value as number) + 0
        : fail(shape, name, 'must be a finite number', value)
    case 'bool':
      return typeof value === 'boolean' ? value : fail(shape, name, 'must be true or false', value)
    case 'packed':
      return value instanceof Uint8Array ? value : fail(shape, name, 'must be bytes', value)
    case 'json':
      return jsonText(value) ?? fail(shape, name, 'must be JSON', value)
  }
}

export function noRow(table: Table, key: string): OffshootError {
  return new OffshootError('not_found', `there is no row ${key} in ${table}`)
}

/** JSON.stringify is typed as if it always returned a string; for a function or undefined it does not. */
function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value)
}

function fail(shape: Shape, name: string, what: string, value: unknown): never {
  throw wrong(shape, name, `${what}, not ${typeof value === 'number' ? String(value) : typeof value}`)
}

function noColumn(shape: Shape, name: string): OffshootError {
  return new OffshootError('internal', `${shape.table} has no column ${name}`)
}

function wrong(shape: Shape, name: string, what: string): OffshootError {
  return new OffshootError('internal', `${shape.table}.${name} ${what}`)
}
