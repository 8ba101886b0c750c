import { resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import type { Engine } from '../engine.ts'
import { groupCommit } from '../group-commit.ts'
import type { Store } from '../port.ts'
import { backUp } from './back-up.ts'
import { asStoreError } from './errors.ts'
import { APPLICATION_ID, inspectDatabase, prepareFile } from './inspect.ts'
import { migrate, SCHEMA_VERSION, schemaVersion } from './migrate.ts'
import { SqliteEngine } from './sqlite-engine.ts'

export interface SqliteOptions {
  /** A path, or `:memory:`. A missing file is made (mode 0600), and so is its directory (0700). */
  readonly file: string
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number
  /** How long to wait for another process that writes. Everything in this process waits as long. Default 5,000. */
  readonly busyTimeoutMs?: number
  /** The file grows to so many pages of 4,096 bytes and no further. */
  readonly maxPageCount?: number
}

/**
 * The store in a SQLite file. A file that cannot serve is refused and left as it is; one of an older program is copied
 * to `backups` beside it before it is brought up to date.
 * @throws OffshootError `store_newer`, `store_foreign`, `store_corrupt`, `store_readonly`, `store_full`, `store_locked`
 */
export function openSqliteStore({ file, now, busyTimeoutMs, maxPageCount }: SqliteOptions): Promise<Store> {
  return openSqliteFile({
    file,
    ...(now && { now }),
    ...(busyTimeoutMs !== undefined && { busyTimeoutMs }),
    ...(maxPageCount !== undefined && { maxPageCount }),
  })
}

/** What only tests give. */
interface FileOptions extends SqliteOptions {
  /** Opens the file; default: a plain connection. */
  readonly connect?: (file: string, options: DatabaseSyncOptions) => DatabaseSync
  /** Reads and writes rows in it; default: `SqliteEngine`. */
  readonly engineOf?: (db: DatabaseSync, file: string) => Engine
  /** The log goes into the file when it has so many pages. */
  readonly logPages?: number
}

/** The same, with what is not for users. */
export async function openSqliteFile(options: FileOptions): Promise<Store> {
  const file = options.file === ':memory:' ? options.file : resolve(options.file)
  const isNew = file === ':memory:' || prepareFile(file) === 'new'
  const timeout = options.busyTimeoutMs ?? 5_000
  if (!isNew) inspectDatabase(file, timeout)
  const db = openDatabase(file, timeout, options)
  return groupCommit(options.engineOf?.(db, file) ?? new SqliteEngine(db, file))
}

function openDatabase(
  file: string,
  timeout: number,
  { maxPageCount, now = Date.now, connect = plainly, logPages = LOG_PAGES }: FileOptions,
): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = connect(file, { timeout, enableForeignKeyConstraints: true })
    if (maxPageCount !== undefined) db.exec(`PRAGMA max_page_count = ${maxPageCount}`)
    // before WAL, so that the file itself says whose it is, whatever becomes of the log beside it
    if (isEmpty(db)) db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    const version = schemaVersion(db)
    if (version > 0 && version < SCHEMA_VERSION) backUp(db, file, version, now())
    db.exec('PRAGMA journal_mode = WAL')
    db.exec(`PRAGMA wal_autocheckpoint = ${logPages}; PRAGMA journal_size_limit = ${logPages * 4096}`)
    db.exec(`PRAGMA cache_size = ${-CACHE_KIB}; PRAGMA temp_store = MEMORY`)
    migrate(db, file, now)
    return db
  } catch (error) {
    db?.close()
    throw asStoreError(error, file)
  }
}

function plainly(file: string, options: DatabaseSyncOptions): DatabaseSync {
  return new DatabaseSync(file, options)
}

/** Also where a process died while it made the file: the journal beside it takes that back, the first page included. */
function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('PRAGMA page_count').get()!['page_count'] === 0
}

const CACHE_KIB = 16 * 1024

/**
 * The log goes into the file when it has so many pages (16 MiB): the same few pages change with each append, and are so
 * written once for many commits. After a crash the log is read once, which takes some 20 ms.
 */
const LOG_PAGES = 4_096
