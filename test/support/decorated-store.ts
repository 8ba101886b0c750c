import type { EventRow, Store, Table, Tx } from '../../src/store/port.ts'
import type { FaultPoint, Faults } from './faults.ts'

type Row = Readonly<Record<string, unknown>>

/** What a write is about to do; `before` is the row that it changes. */
interface Write {
  readonly table: Table
  readonly change: Row
  readonly before: () => Row | undefined
}

/** Something that a transaction does, with the points before and after its commit. */
interface Moment {
  readonly points: readonly [before: FaultPoint, after: FaultPoint]
  /** Whether each such write is one, and not all those of a transaction together. */
  readonly isEach: boolean
  readonly isIn: (write: Write) => boolean
}

const MOMENTS: readonly Moment[] = [
  {
    points: ['intent.before', 'intent.after'],
    isEach: true,
    isIn: ({ table, change }) => table === 'tool_calls' && change['status'] === 'running',
  },
  {
    points: ['result.before', 'result.after'],
    isEach: true,
    isIn: ({ table, change }) => table === 'tool_calls' && Boolean(change['resultPartId']),
  },
  {
    points: ['delivery.before', 'delivery.after'],
    isEach: false,
    isIn: ({ table, change }) =>
      table === 'events' && (change['events'] as EventRow['events']).some(isDelivery),
  },
  {
    points: ['lease.before', 'lease.after'],
    isEach: false,
    isIn: ({ table, change }) =>
      table === 'leases' && change['owner'] === undefined && Number(change['renewedAt']) > 0,
  },
  {
    points: ['recovery.before', 'recovery.taken'],
    isEach: false,
    isIn: ({ table, change, before }) =>
      table === 'leases' && change['owner'] !== undefined && isOther(change, before()),
  },
  {
    points: ['recovery.killed', 'recovery.after'],
    isEach: false,
    isIn: ({ table, change, before }) =>
      table === 'runs' && before() !== undefined && (change['reason'] === 'restart' || isGivenUp(change)),
  },
]

/** A report has reached whoever is owed it, or an item of an inbox the messages of its branch. */
function isDelivery(packed: object): boolean {
  const { type } = packed as { readonly type?: unknown }
  return type === 'report.delivered' || type === 'inbox.delivered'
}

function isOther(change: Row, before: Row | undefined): boolean {
  return before !== undefined && before['owner'] !== change['owner']
}

function isGivenUp({ error }: Row): boolean {
  return (error as { readonly code?: unknown } | null | undefined)?.code === 'crashed'
}

/** The store with the points of a program before and after its commits, and without what is off. */
export function decoratedStore(store: Store, { off, at }: Faults): Store {
  const watched = withMoments(store, at)
  return off.has('unique-delivery') ? withLateMarks(watched) : watched
}

function withMoments(store: Store, at: Faults['at']): Store {
  return withTx(store, async (write, options) => {
    let met: readonly Moment[] = []
    const result = await store.tx((tx) => {
      const all: Moment[] = []
      const value = write(watchedTx(tx, all))
      met = all.filter((each, i) => each.isEach || all.indexOf(each) === i)
      for (const { points } of met) at(points[0])
      return value
    }, options)
    for (const { points } of met) at(points[1])
    return result
  })
}

function watchedTx(tx: Tx, met: Moment[]): Tx {
  const look = (write: Write) => void met.push(...MOMENTS.filter(({ isIn }) => isIn(write)))
  return {
    ...readerOf(tx),
    insert: (table, row) => {
      look({ table, change: row as unknown as Row, before: () => undefined })
      tx.insert(table, row)
    },
    update: (table, key, change) => {
      look({ table, change, before: () => tx.get(table, key) as Row | undefined })
      tx.update(table, key, change)
    },
    delete: (table, key) => tx.delete(table, key),
  }
}

/** What is delivered is marked so in a transaction after the one that has appended it (invariant D3). */
function withLateMarks(store: Store): Store {
  return withTx(store, async (write, options) => {
    let marks: (readonly [key: string, change: object])[] = []
    const result = await store.tx((tx) => {
      marks = []
      return write({
        ...readerOf(tx),
        insert: (table, row) => tx.insert(table, row),
        update: (table, key, change) => {
          if (table === 'inbox' && 'deliveredAt' in change) marks.push([key, change])
          else tx.update(table, key, change)
        },
        delete: (table, key) => tx.delete(table, key),
      })
    }, options)
    for (const [key, change] of marks) await store.tx((tx) => tx.update('inbox', key, change), options)
    return result
  })
}

function withTx(store: Store, tx: Store['tx']): Store {
  return {
    ...readerOf(store),
    tx,
    dataVersion: () => store.dataVersion(),
    close: () => store.close(),
  }
}

function readerOf(reader: Pick<Store, 'get' | 'find' | 'count'>): Pick<Store, 'get' | 'find' | 'count'> {
  return {
    get: (table, key) => reader.get(table, key),
    find: (table, query) => reader.find(table, query),
    count: (table, where) => reader.count(table, where),
  }
}
