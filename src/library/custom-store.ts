import { errorMessage, OffshootError } from '../core/errors.ts'
import type { Query, Reader, Rows, Store, Table, Tx, TxOptions } from '../store/port.ts'

/**
 * Wraps a store that the program opened and closes itself. Everything that it throws becomes an OffshootError,
 * `internal` if it is not one already. Other code in this process may write through the store without changing its
 * `dataVersion`, so unless the store is private, every read of `dataVersion` differs, and the runtime looks for
 * commands each time.
 */
export function ownStore(store: Store, isShared: boolean): Store {
  let looks = 0
  return {
    ...reader(store),
    tx: (write, options) => transact(store, write, options),
    dataVersion: () => (isShared ? ++looks : withStoreErrors(() => store.dataVersion())),
    close: async () => {
      if (!isShared) await store.close()
    },
  }
}

function reader(store: Reader): Reader {
  return {
    get: (table, key) => withStoreErrors(() => store.get(table, key)),
    find: <T extends Table>(table: T, query: Query<T>) => withStoreErrors(() => store.find(table, query)),
    count: <T extends Table>(table: T, where: Partial<Rows[T]>) =>
      withStoreErrors(() => store.count(table, where)),
  }
}

/** Errors of the closure pass unchanged. */
async function transact<T>(store: Store, write: (tx: Tx) => T, options: TxOptions): Promise<T> {
  let thrown: { readonly error: unknown } | undefined
  try {
    return await store.tx((tx) => {
      try {
        return write(writer(tx))
      } catch (error) {
        thrown = { error }
        throw error
      }
    }, options)
  } catch (error) {
    throw thrown?.error === error && thrown ? error : asOffshootError(error)
  }
}

function writer(tx: Tx): Tx {
  return {
    ...reader(tx),
    insert: (table, row) => withStoreErrors(() => tx.insert(table, row)),
    update: (table, key, change) => withStoreErrors(() => tx.update(table, key, change)),
    delete: (table, key) => withStoreErrors(() => tx.delete(table, key)),
  }
}

function withStoreErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asOffshootError(error)
  }
}

function asOffshootError(error: unknown): OffshootError {
  if (isOffshootError(error)) return error
  return new OffshootError('internal', `the store failed: ${errorMessage(error)}`, {
    cause: error,
    hint: 'this is a custom store; test it with storeConformance from offshoot/testing',
  })
}

function isOffshootError(error: unknown): error is OffshootError {
  try {
    return error instanceof OffshootError
  } catch {
    return false // a proxy that refuses to answer
  }
}
