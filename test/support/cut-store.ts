import { createMemoryStore } from '../../src/store/memory.ts'
import type { Store, Tx } from '../../src/store/port.ts'

/** A store in memory that can be had again as it was after any of its commits: as a process leaves it that dies then. */
export interface CutStore extends Store {
  /** How many commits there were. */
  readonly commits: number
  /** A store with the first of them. */
  cut(commits: number): Promise<CutStore>
}

type Write = (tx: Tx) => void

/** When a process begins that finds this store: ids sort by time, so it must be later than all that others wrote. */
export function beginsAfterMs({ commits }: Pick<CutStore, 'commits'>): number {
  return commits * 10_000
}

export function cutStore(store: Store = createMemoryStore(), done: readonly Write[][] = []): CutStore {
  const log = [...done]
  return {
    get: store.get.bind(store),
    find: store.find.bind(store),
    count: store.count.bind(store),
    close: () => store.close(),
    dataVersion: () => store.dataVersion(),
    tx: (write, options) =>
      store.tx((tx) => {
        const writes: Write[] = []
        const result = write(recorded(tx, writes))
        if (writes.length > 0) log.push(writes)
        return result
      }, options),
    get commits() {
      return log.length
    },
    async cut(commits) {
      const kept = log.slice(0, commits)
      const copy = createMemoryStore()
      for (const writes of kept)
        await copy.tx((tx) => writes.forEach((write) => write(tx)), { durable: false })
      return cutStore(copy, kept)
    },
  }
}

function recorded(tx: Tx, writes: Write[]): Tx {
  const both = (write: Write) => {
    write(tx)
    writes.push(write)
  }
  return {
    get: tx.get.bind(tx),
    find: tx.find.bind(tx),
    count: tx.count.bind(tx),
    insert: (table, row) => both((to) => to.insert(table, row)),
    update: (table, key, change) => both((to) => to.update(table, key, change)),
    delete(table, key) {
      const there = tx.delete(table, key)
      writes.push((to) => void to.delete(table, key))
      return there
    },
  }
}
