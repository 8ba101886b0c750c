import type { Row, Shape } from './engine.ts'

/** Holds the current version of a row. */
export interface Slot {
  row: Row
}

/** Groups of rows that are equal in some columns; each group is ordered by one more column, then by key. */
export class OrderedIndex {
  readonly equal: readonly string[]
  readonly order: string
  readonly #compare: (a: Slot, b: Slot) => number
  readonly #key: readonly string[]
  readonly #buckets = new Map<unknown, Slot[]>()

  constructor(shape: Shape, equal: readonly string[], order: string) {
    this.equal = equal
    this.order = order
    this.#key = shape.key
    this.#compare = compareBy(shape, order)
  }

  /** The rows equal to this one in the index columns. Do not change or keep the result. */
  bucket(where: Row): readonly Slot[] {
    return this.#buckets.get(this.#bucketKey(where)) ?? []
  }

  differs(before: Row, after: Row): boolean {
    return [...this.equal, this.order, ...this.#key].some((name) => before[name] !== after[name])
  }

  add(slot: Slot): void {
    const key = this.#bucketKey(slot.row)
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.splice(this.#place(bucket, slot), 0, slot)
    else this.#buckets.set(key, [slot])
  }

  remove(slot: Slot): void {
    const key = this.#bucketKey(slot.row)
    const bucket = this.#buckets.get(key)!
    bucket.splice(this.#place(bucket, slot), 1)
    if (bucket.length === 0) this.#buckets.delete(key)
  }

  #bucketKey(row: Row): unknown {
    if (this.equal.length === 1) return row[this.equal[0]!]
    return JSON.stringify(this.equal.map((name) => row[name]))
  }

  /** Where the row is or belongs. New rows nearly always belong at the end. */
  #place(bucket: readonly Slot[], slot: Slot): number {
    let low = 0
    let high = bucket.length
    if (high > 0 && this.#compare(bucket[high - 1]!, slot) < 0) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(bucket[middle]!, slot) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** By a column, null first, then by key. */
export function compareBy(shape: Shape, order: string): (a: Slot, b: Slot) => number {
  const columns = [order, ...shape.key.filter((name) => name !== order)]
  return (a, b) => {
    for (const name of columns) {
      const difference = compareValues(a.row[name], b.row[name])
      if (difference !== 0) return difference
    }
    return 0
  }
}

function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  return (a as number | string) < (b as number | string) ? -1 : 1
}
