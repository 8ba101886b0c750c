import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { openSqliteFile } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/port.ts'
import { decoratedStore } from './decorated-store.ts'
import type { Faults } from './faults.ts'
import { LateEngine } from './late-engine.ts'

type FileOptions = Parameters<typeof openSqliteFile>[0]

/** A SQLite file as the program opens it, with the points of migrations and commits, and without what is off. */
export async function openDecoratedFile(options: FileOptions, faults: Faults): Promise<Store> {
  const store = await openSqliteFile({
    ...options,
    connect: (file, how) => new DecoratedDatabase(file, how, faults),
    ...(faults.off.has('answer-after-commit') && { engineOf: (db, file) => new LateEngine(db, file) }),
  })
  return decoratedStore(store, faults)
}

/** Only migrations commit by `exec`; all else is a statement that was prepared. */
class DecoratedDatabase extends DatabaseSync {
  readonly #faults: Faults

  constructor(file: string, options: DatabaseSyncOptions, faults: Faults) {
    super(file, options)
    this.#faults = faults
  }

  override exec(sql: string): void {
    const { off, at } = this.#faults
    if (sql === 'COMMIT') at('migration.before')
    super.exec(off.has('full-sync') ? sql.replace('synchronous = FULL', 'synchronous = NORMAL') : sql)
    if (sql === 'COMMIT') at('migration.after')
  }
}
