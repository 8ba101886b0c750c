import { DatabaseSync } from 'node:sqlite'
import type { Store } from '../src/store/port.ts'
import { openSqliteFile } from '../src/store/sqlite/open.ts'

/** The store as it would be if no commit waited for the disk. */
export function openUnsynced(options: Parameters<typeof openSqliteFile>[0]): Promise<Store> {
  return openSqliteFile({ ...options, connect: (file, how) => new UnsyncedDatabase(file, how) })
}

class UnsyncedDatabase extends DatabaseSync {
  override exec(sql: string): void {
    super.exec(sql.replace('synchronous = FULL', 'synchronous = NORMAL'))
  }
}
