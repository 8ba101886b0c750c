import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { OffshootError } from '../../core/errors.ts'
import { groupCommit } from '../group-commit.ts'
import type { Reader } from '../port.ts'
import { asStoreError, newer } from './sqlite-errors.ts'
import { checkPages, checkTables, prepareFile } from './inspect.ts'
import { SCHEMA_VERSION, schemaVersion } from './migrate.ts'
import { SqliteEngine } from './sqlite-engine.ts'
import { checkSums } from './sums.ts'

/** A database opened without changing anything on disk. */
export interface StoreLook {
  readonly version: number
  /** Null if the database must be upgraded before it can be read. */
  readonly reader: Reader | null
  /** Reads the whole file, about 0.4 ms a megabyte. @throws OffshootError `store_corrupt` */
  check(): void
  close(): Promise<void>
}

/**
 * Opens a database read-only; null if there is none yet. Unlike other readers, it creates no `-wal` or `-shm` file, and
 * leaves those of a killed program to the next start. @throws OffshootError like `openSqliteStore`, `conflict` if it
 * cannot be read without a change.
 */
export function lookAtStore(file: string): StoreLook | null {
  let db: DatabaseSync | undefined
  try {
    if (!exists(file) || prepareFile(file) === 'new') return null
    db = openUnchanged(file)
    const version = schemaVersion(db)
    if (version > SCHEMA_VERSION) throw newer(file, version, SCHEMA_VERSION)
    return look(db, file, version)
  } catch (error) {
    db?.close()
    throw asStoreError(error, file)
  }
}

/** Size of a store in bytes, and the part of its log. */
export function storeSize(file: string): { readonly bytes: number; readonly logBytes: number } {
  return { bytes: sizeOf(file), logBytes: sizeOf(`${file}-wal`) }
}

function look(db: DatabaseSync, file: string, version: number): StoreLook {
  const store = groupCommit(new SqliteEngine(db, file))
  return {
    version,
    reader: version === SCHEMA_VERSION ? store : null,
    check: () => {
      try {
        checkPages(db, file)
        if (version !== SCHEMA_VERSION) return
        checkTables(db, file)
        checkSums(db, file)
      } catch (error) {
        throw asStoreError(error, file)
      }
    },
    close: () => store.close(),
  }
}

/**
 * If no process has the database open and its log is merged, there is no `-shm` file, and the file alone is complete.
 * Otherwise the log's index is read as it is (sqlite.org/uri.html).
 */
function openUnchanged(file: string): DatabaseSync {
  const url = pathToFileURL(file)
  const shared = exists(`${file}-shm`)
  if (!shared && sizeOf(`${file}-wal`) > 0) throw unread(file)
  url.search = shared ? 'readonly_shm=1' : 'immutable=1'
  return new DatabaseSync(url, { readOnly: true, timeout: BUSY_MS })
}

const BUSY_MS = 500

function unread(file: string): OffshootError {
  const message = `the database ${file} has a log without the index needed to read it`
  return new OffshootError('conflict', message, { hint: 'The next command that uses the store creates it.' })
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
