import { OffshootError } from '../core/errors.ts'
import {
  changedColumns,
  checked,
  checkWhere,
  noRow,
  shapes,
  type AnyQuery,
  type Engine,
  type Row,
  type Shape,
} from './engine.ts'
import { groupCommit } from './group-commit.ts'
import { compareBy, OrderedIndex, type Slot } from './ordered-index.ts'
import type { Store, Table } from './port.ts'

/** A store that ends with its process, with the semantics of the SQLite store, for tests and embedding. */
export function createMemoryStore(): Store {
  return groupCommit(new MemoryEngine())
}

/** The engine of a store in memory. */
export class MemoryEngine implements Engine {
  readonly #tables = memoryTables()
  /** Undo log of the open transaction, newest last. */
  #undo: (() => void)[] = []
  #mark = 0

  get(table: Table, key: string): Row | undefined {
    const slot = this.#tables[table].byKey.get(key)
    return slot && shown(slot.row)
  }

  find(table: Table, query: AnyQuery): Row[] {
    return search(this.#tables[table], query).map((slot) => shown(slot.row))
  }

  count(table: Table, where: Row): number {
    return search(this.#tables[table], { where }).length
  }

  /** No other process can write. */
  dataVersion(): number {
    return 0
  }

  insert(table: Table, row: Row): void {
    const target = this.#tables[table]
    const slot = { row: normalRow(target.shape, row) }
    this.#checkUnique(target, slot.row)
    this.#checkReferences(target, slot.row)
    this.#link(target, slot)
  }

  update(table: Table, key: string, change: Row): void {
    const target = this.#tables[table]
    const slot = target.byKey.get(key)
    if (!slot) throw noRow(table, key)
    const changed = Object.fromEntries(
      changedColumns(target.shape, key, change).map((name) => [
        name,
        normal(target.shape, name, change[name]),
      ]),
    )
    const next = { row: Object.freeze({ ...slot.row, ...changed }) }
    this.#checkUnique(target, next.row, slot)
    this.#checkReferences(target, changed)
    this.#replace(target, slot, next.row)
  }

  delete(table: Table, key: string): boolean {
    const slot = this.#tables[table].byKey.get(key)
    if (!slot) return false
    const doomed = [{ table: this.#tables[table], slot }]
    for (let next = doomed.pop(); next; next = doomed.pop()) {
      if (!next.table.slots.has(next.slot)) continue
      this.#unlink(next.table, next.slot)
      for (const { table: from, index, name } of next.table.referrers) {
        const where = { [name]: next.slot.row[next.table.shape.key[0]!] }
        for (const slot of index.bucket(where)) doomed.push({ table: from, slot })
      }
    }
    return true
  }

  begin(): void {}

  savepoint(): void {
    this.#mark = this.#undo.length
  }

  release(): void {}

  rollbackToSavepoint(): void {
    while (this.#undo.length > this.#mark) this.#undo.pop()!()
  }

  commit(): void {
    this.#undo = []
  }

  rollback(): void {
    this.#mark = 0
    this.rollbackToSavepoint()
  }

  lost(): undefined {}

  close(): void {}

  #checkUnique(target: MemoryTable, row: Row, self?: Slot): void {
    for (const index of target.uniques) {
      if (index.equal.some((name) => row[name] === null)) continue
      if (index.bucket(row).some((slot) => slot !== self)) {
        throw new OffshootError(
          'conflict',
          `${target.shape.table} has a row with the same ${index.equal.join(', ')}`,
        )
      }
    }
  }

  #checkReferences(target: MemoryTable, columns: Row): void {
    for (const [name, to] of Object.entries(target.shape.references)) {
      const value = columns[name] as string | null | undefined
      if (value === null || value === undefined || this.#tables[to].byKey.has(value)) continue
      throw new OffshootError('conflict', `${target.shape.table}.${name}: there is no row ${value} in ${to}`)
    }
  }

  #link(target: MemoryTable, slot: Slot): void {
    add(target, slot)
    this.#undo.push(() => remove(target, slot))
  }

  #unlink(target: MemoryTable, slot: Slot): void {
    remove(target, slot)
    this.#undo.push(() => add(target, slot))
  }

  #replace(target: MemoryTable, slot: Slot, row: Row): void {
    const before = slot.row
    put(target, slot, row)
    this.#undo.push(() => put(target, slot, before))
  }
}

interface MemoryTable {
  readonly shape: Shape
  readonly slots: Set<Slot>
  /** Empty for events, whose key has two columns. */
  readonly byKey: Map<string, Slot>
  readonly indices: readonly OrderedIndex[]
  readonly uniques: readonly OrderedIndex[]
  /** The foreign keys of other tables to this one. */
  readonly referrers: { readonly table: MemoryTable; readonly name: string; readonly index: OrderedIndex }[]
}

function memoryTables(): Record<Table, MemoryTable> {
  const entries = Object.entries(shapes()).map(([name, shape]) => [name, memoryTable(shape)] as const)
  const tables = Object.fromEntries(entries) as Record<Table, MemoryTable>
  for (const [, table] of entries) {
    for (const [name, to] of Object.entries(table.shape.references)) {
      const index = table.indices.find(({ equal }) => equal.length === 1 && equal[0] === name)!
      tables[to].referrers.push({ table, name, index })
    }
  }
  return tables
}

function memoryTable(shape: Shape): MemoryTable {
  const uniques = [shape.key, ...shape.unique].map((columns) => new OrderedIndex(shape, columns, shape.order))
  const indices = [
    ...uniques,
    new OrderedIndex(shape, [], shape.order),
    ...shape.unique.map(([equal, order]) => new OrderedIndex(shape, [equal], order)),
    ...[...Object.keys(shape.references).map((name) => [name]), ...shape.lookups].map(
      (columns) => new OrderedIndex(shape, columns, shape.order),
    ),
  ]
  return { shape, slots: new Set(), byKey: new Map(), indices, uniques, referrers: [] }
}

function add(table: MemoryTable, slot: Slot): void {
  table.slots.add(slot)
  if (table.shape.key.length === 1) table.byKey.set(slot.row[table.shape.key[0]!] as string, slot)
  for (const index of table.indices) index.add(slot)
}

function remove(table: MemoryTable, slot: Slot): void {
  table.slots.delete(slot)
  if (table.shape.key.length === 1) table.byKey.delete(slot.row[table.shape.key[0]!] as string)
  for (const index of table.indices) index.remove(slot)
}

function put(table: MemoryTable, slot: Slot, row: Row): void {
  const moved = table.indices.filter((index) => index.differs(slot.row, row))
  for (const index of moved) index.remove(slot)
  slot.row = row
  for (const index of moved) index.add(slot)
}

/** The rows of a query in order: a range of the best index, filtered by the rest of `where`. */
function search(table: MemoryTable, query: AnyQuery): Slot[] {
  const where = normalWhere(table.shape, query.where ?? {})
  const order = query.orderBy ?? table.shape.order
  if (table.shape.columns[order] === undefined) checkWhere(table.shape, { [order]: null })
  const index = bestIndex(table, Object.keys(where), order)
  const rest = Object.keys(where).filter((name) => !index.equal.includes(name))
  const range = inRange(ordered(table.shape, index, where, order), order, query)
  const found: Slot[] = []
  for (let i = 0; i < range.length && found.length < (query.limit ?? Infinity); i++) {
    const slot = range[query.descending ? range.length - 1 - i : i]!
    if (rest.every((name) => same(where[name], slot.row[name]))) found.push(slot)
  }
  return found
}

function bestIndex(table: MemoryTable, names: readonly string[], order: string): OrderedIndex {
  const score = (index: OrderedIndex) => index.equal.length * 2 + (index.order === order ? 1 : 0)
  return table.indices
    .filter((index) => index.equal.every((name) => names.includes(name)))
    .reduce((best, index) => (score(index) > score(best) ? index : best))
}

/** The slow path: sorts for an order without an index. */
function ordered(shape: Shape, index: OrderedIndex, where: Row, order: string): readonly Slot[] {
  const bucket = index.bucket(where)
  return index.order === order ? bucket : bucket.toSorted(compareBy(shape, order))
}

function inRange(sorted: readonly Slot[], order: string, { after, before }: AnyQuery): readonly Slot[] {
  if (after === undefined && before === undefined) return sorted
  const value = (slot: Slot) => slot.row[order] as number | string | null
  const from = lowerBound(
    sorted,
    (slot) => value(slot) !== null && (after === undefined || value(slot)! > after),
  )
  const to =
    before === undefined
      ? sorted.length
      : lowerBound(sorted, (slot) => value(slot) !== null && value(slot)! >= before)
  return sorted.slice(from, Math.max(from, to))
}

/** The first position where the condition holds. */
function lowerBound(sorted: readonly Slot[], holds: (slot: Slot) => boolean): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(sorted[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

function same(wanted: unknown, value: unknown): boolean {
  if (wanted === value) return true
  return typeof wanted === 'object' && wanted !== null && JSON.stringify(wanted) === JSON.stringify(value)
}

function normalWhere(shape: Shape, where: Row): Row {
  const names = checkWhere(shape, where)
  return Object.fromEntries(
    names.map((name) => [name, where[name] === null ? null : normal(shape, name, where[name])]),
  )
}

function normalRow(shape: Shape, row: Row): Row {
  return Object.freeze(Object.fromEntries(shape.names.map((name) => [name, normal(shape, name, row[name])])))
}

/** An immutable copy of a value, as reading it from a file would return. */
function normal(shape: Shape, name: string, value: unknown): unknown {
  const stored = checked(shape, name, value)
  if (stored === null) return null
  const { kind } = shape.columns[name]!
  if (kind === 'packed') return Uint8Array.from(stored as Uint8Array)
  return kind === 'json' ? deepFreeze(JSON.parse(stored as string)) : stored
}

function deepFreeze(root: unknown): unknown {
  const open = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (!isObject(value)) continue
    Object.freeze(value)
    for (const inner of Object.values(value)) open.push(inner)
  }
  return root
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Bytes cannot be frozen, so each reader gets a copy. */
function shown(row: Row): Row {
  return row['content'] instanceof Uint8Array ? { ...row, content: Uint8Array.from(row['content']) } : row
}
