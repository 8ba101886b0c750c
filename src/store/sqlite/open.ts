import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { OffshootError } from '../../core/errors.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Engine } from '../engine.ts'
import { groupCommit, type Turns } from '../group-commit.ts'
import type { Store } from '../port.ts'
import { backUp, dropOldBackups } from './back-up.ts'
import { asStoreError, fileError, isLocked, locked } from './sqlite-errors.ts'
import { inspectDatabase, prepareFile } from './inspect.ts'
import { migrate } from './migrate.ts'
import { SqliteEngine } from './sqlite-engine.ts'
import { keepWhatIsLeft, type Kept } from './trace.ts'
import { BUSY_TIMEOUT_MS, takeTurns } from './turns.ts'

export interface SqliteOptions {
  /** A path, or `:memory:`. A missing file (mode 0600) and its directory (0700) are created. */
  readonly file: string
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number
  /** How long a transaction waits for another process's lock without any commit. Default 10,000. */
  readonly busyTimeoutMs?: number
  /** Most pages of 4,096 bytes in the file. */
  readonly maxPageCount?: number
  /**
   * Called after opening, with one sentence if the store lost something since its last use: its log, or everything.
   * Default: a process warning, `OffshootWarning`. If it throws, opening fails.
   */
  readonly warn?: (text: string) => void
}

/**
 * The store in a SQLite file. An unusable file is refused and left unchanged; one of an older program is copied to
 * `backups` beside it before the upgrade. @throws OffshootError `store_newer`, `store_foreign`, `store_corrupt`,
 * `store_readonly`, `store_full`, `store_locked`
 */
export function openSqliteStore({
  file,
  now,
  busyTimeoutMs,
  maxPageCount,
  warn,
}: SqliteOptions): Promise<Store> {
  return openSqliteFile({
    file,
    ...(now && { now }),
    ...(busyTimeoutMs !== undefined && { busyTimeoutMs }),
    ...(maxPageCount !== undefined && { maxPageCount }),
    ...(warn && { warn }),
  })
}

/** Options for tests. */
interface FileOptions extends SqliteOptions {
  /** Opens the file; default: a plain connection. */
  readonly connect?: (file: string, options: DatabaseSyncOptions) => DatabaseSync
  /** Reads and writes rows in it; default: `SqliteEngine`. */
  readonly engineOf?: (db: DatabaseSync, file: string) => Engine
  /** Log size in pages at which it moves into the file. */
  readonly logPages?: number
}

/** The same with internal options. */
export async function openSqliteFile(options: FileOptions): Promise<Store> {
  const file = options.file === ':memory:' ? options.file : resolve(options.file)
  const turns = takeTurns(file, options.busyTimeoutMs ?? BUSY_TIMEOUT_MS)
  const kept = file === ':memory:' ? undefined : keptFrom(file)
  const db = await whenFree(turns, () => openDatabase(file, options))
  if (kept) tell(kept, db, options)
  return groupCommit(options.engineOf?.(db, file) ?? new SqliteEngine(db, file), { turns })
}

/** Retries while other processes have the file: most create, change or close it only briefly. */
async function whenFree<T>(turns: Turns, open: () => T): Promise<T> {
  const from = performance.now()
  try {
    for (;;) {
      const opened = attempt(open)
      if (!(opened instanceof OffshootError)) return opened
      const delay = turns.next(performance.now() - from)
      if (delay === undefined) throw opened
      await setTimeout(delay)
    }
  } finally {
    turns.over()
  }
}

function attempt<T>(open: () => T): T | OffshootError {
  try {
    return open()
  } catch (error) {
    if (error instanceof OffshootError && isLocked(error)) return error
    throw error
  }
}

function openDatabase(
  file: string,
  { maxPageCount, now = Date.now, connect = plainly, logPages }: FileOptions,
): DatabaseSync {
  const isNew = file === ':memory:' || prepareFile(file) === 'new'
  if (!isNew) inspectDatabase(file, TRY_MS)
  let db: DatabaseSync | undefined
  try {
    db = connect(file, { timeout: TRY_MS, enableForeignKeyConstraints: true })
    if (maxPageCount !== undefined) db.exec(`PRAGMA max_page_count = ${maxPageCount}`)
    // before WAL, so that the file itself names its owner, whatever happens to its log
    bringUpToDate(db, file, now)
    useLog(db, file, logPages ?? LOG_PAGES)
    db.exec(`PRAGMA cache_size = ${-CACHE_KIB}; PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = 0`)
    return db
  } catch (error) {
    db?.close()
    throw asStoreError(error, file)
  }
}

/** A failed migration changes nothing, so its backup is useless and must not push out another. */
function bringUpToDate(db: DatabaseSync, file: string, now: () => number): void {
  let copy: string | undefined
  try {
    migrate(db, file, now, { beforeOlder: (version) => void (copy = backUp(file, version, now())) })
  } catch (error) {
    if (copy !== undefined && !db.isTransaction) rmSync(copy, { force: true })
    throw error
  }
  if (copy !== undefined) dropOldBackups(file)
}

function plainly(file: string, options: DatabaseSyncOptions): DatabaseSync {
  return new DatabaseSync(file, options)
}

/**
 * @throws OffshootError `store_full`, `store_readonly` if the remains cannot be copied aside: then nothing is written.
 */
function keptFrom(file: string): Kept | undefined {
  try {
    return keepWhatIsLeft(file)
  } catch (error) {
    throw fileError(error, file)
  }
}

/** Only after opening: a start that fails leaves the warning to the next one. */
function tell({ text, said }: Kept, db: DatabaseSync, { warn = warnOfProcess }: FileOptions): void {
  try {
    warn(text)
    said()
  } catch (error) {
    db.close()
    throw error
  }
}

function warnOfProcess(text: string): void {
  process.emitWarning(terminalLine(text), 'OffshootWarning')
}

/** @throws OffshootError `store_locked` while others read the file: SQLite does not wait for them here. */
function useLog(db: DatabaseSync, file: string, pages: number): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()!['journal_mode']
  if (mode !== 'wal' && file !== ':memory:') throw locked(file)
  db.exec(`PRAGMA wal_autocheckpoint = ${pages}; PRAGMA journal_size_limit = ${pages * 4096}`)
}

/** How long SQLite itself waits while a file is opened, which blocks this process. */
const TRY_MS = 100

const CACHE_KIB = 16 * 1024

/**
 * Log size in pages (16 MiB) at which it moves into the file: appends change the same few pages, so many commits write
 * them only once. After a crash, reading the log takes about 20 ms.
 */
const LOG_PAGES = 4_096
