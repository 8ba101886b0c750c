import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorMessage } from '../../core/errors.ts'
import { shapes } from '../engine.ts'
import { tables } from '../tables.ts'
import { makeDirectory } from './make-directory.ts'
import { asStoreError, corrupt, fileError, foreign, newer, readonly } from './sqlite-errors.ts'
import { APPLICATION_ID, SCHEMA_VERSION, schemaVersion } from './migrate.ts'
import { columnName } from './statements.ts'
import { checkSums } from './sums.ts'
import { othersWith } from './lock-holders.ts'

/**
 * Creates a missing file and examines an existing one with reads only, so that SQLite never repairs a foreign or
 * damaged file. @throws OffshootError `store_foreign`, `store_corrupt`, `store_readonly`, `store_full`
 */
export function prepareFile(file: string): 'new' | 'ours' {
  try {
    makeDirectory(dirname(file))
    if (!statSync(file, { throwIfNoEntry: false })) closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    throw fileError(error, file)
  }
  const stats = statSync(file)
  if (!stats.isFile()) throw foreign(file, 'not a file')
  checkRights(file)
  return stats.size === 0 ? checkEmpty(file) : checkHeader(file)
}

/**
 * `how`: a quick check at start, or every page, index and reference. @throws OffshootError `store_newer`,
 * `store_corrupt`, `store_locked`
 */
export function inspectDatabase(file: string, timeout: number, how: 'quick' | 'all' = 'quick'): void {
  let db: DatabaseSync | undefined
  try {
    // closing the last connection moves the log into the file, and a damaged file must not change
    db = new DatabaseSync(file, { timeout, readOnly: logSize(file) > 0 })
    const version = schemaVersion(db)
    if (version > SCHEMA_VERSION) throw newer(file, version, SCHEMA_VERSION)
    if (how === 'all') checkAll(db, file)
    else checkQuickly(db, file)
    if (version !== SCHEMA_VERSION) return
    checkTables(db, file)
    if (how === 'all') checkSums(db, file)
  } catch (error) {
    throw asStoreError(error, file)
  } finally {
    db?.close()
  }
}

function checkAll(db: DatabaseSync, file: string): void {
  const found = db.prepare('PRAGMA integrity_check(1)').get()!['integrity_check'] as string
  if (found !== 'ok') throw corrupt(file, errorMessage(found.replace('*** in database main ***', '')))
  const lost = db.prepare('PRAGMA foreign_key_check').get()
  if (lost)
    throw corrupt(
      file,
      `a row of ${String(lost['table'])} refers to a missing row of ${String(lost['parent'])}`,
    )
}

function checkQuickly(db: DatabaseSync, file: string): void {
  const { size } = statSync(file)
  const wasLeft = logSize(file) > 0 && othersWith(file).length === 0
  if (size <= (wasLeft ? LEFT_BYTES : CHECKED_BYTES)) checkPages(db, file)
  else if (wasLeft) checkSmallTables(db, file)
}

/** A full check takes about 0.4 ms per megabyte; pages of larger files are checked as they are read. */
const CHECKED_BYTES = 64 * 1024 * 1024

/** With a log of an exited process, more is checked, for about a second at most. */
const LEFT_BYTES = 2 * 1024 * 1024 * 1024

/** In the largest files, all tables except those with texts, which are large themselves. */
function checkSmallTables(db: DatabaseSync, file: string): void {
  const large = ['parts', 'events', 'artifacts']
  for (const table of Object.keys(tables)) if (!large.includes(table)) checkPages(db, file, `'${table}'`)
}

const MAGIC = 'SQLite format 3\0'

function checkRights(file: string): void {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    accessSync(dirname(file), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw readonly(file, error)
  }
}

/** SQLite would delete the log of an empty file. */
function checkEmpty(file: string): 'new' | 'ours' {
  if (logSize(file) === 0) return 'new'
  if (statSync(file).size > 0) return checkHeader(file) // another process has created it since
  throw corrupt(file, 'it is empty, but has a log beside it')
}

function checkHeader(file: string): 'new' | 'ours' {
  if (isHardlyBegun(file)) return 'new'
  const head = readHead(file)
  const applicationId = head.length >= 100 ? head.readUInt32BE(68) : undefined
  if (head.toString('latin1', 0, MAGIC.length) === MAGIC) {
    if (applicationId === undefined) throw corrupt(file, 'it ends within its header')
    if (applicationId !== APPLICATION_ID) throw foreign(file, 'it is a database of another program')
    return 'ours'
  }
  if (applicationId === APPLICATION_ID || head.includes('REFERENCES conversations (id)')) {
    throw corrupt(file, 'its header is overwritten')
  }
  throw foreign(file, 'it is not a SQLite database')
}

/**
 * A process died or power was lost while the file was created: its journal says that it was empty, and SQLite restores
 * that. The journal is synced before any write, so its header can be trusted.
 */
function isHardlyBegun(file: string): boolean {
  const journal = `${file}-journal`
  if (!statSync(journal, { throwIfNoEntry: false })?.size) return false
  const head = readHead(journal)
  return head.length >= 20 && head.subarray(0, 8).equals(JOURNAL_MAGIC) && head.readUInt32BE(16) === 0
}

/** sqlite.org/fileformat2.html#the_rollback_journal */
const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex')

/** The header, and the pages with the schema, parsed directly. */
function readHead(file: string): Buffer {
  const head = Buffer.alloc(128 * 1024)
  const descriptor = openSync(file, 'r')
  try {
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0))
  } finally {
    closeSync(descriptor)
  }
}

/** `what`: a table, or the most problems to find. @throws OffshootError `store_corrupt` */
export function checkPages(db: DatabaseSync, file: string, what = '1'): void {
  const found = db.prepare(`PRAGMA quick_check(${what})`).get()!['quick_check'] as string
  if (found !== 'ok') throw corrupt(file, errorMessage(found.replace('*** in database main ***', '')))
}

/** For a database of the current version. @throws OffshootError `store_corrupt` */
export function checkTables(db: DatabaseSync, file: string): void {
  const found = db.prepare(`SELECT tables.name AS "table", columns.name AS "column"
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`)
  const columns = found.all().map((row) => ({ table: String(row['table']), column: String(row['column']) }))
  const present = Map.groupBy(columns, ({ table }) => table)
  const missing = Object.keys(tables).filter((table) => !present.has(table))
  if (missing.length > 0) throw corrupt(file, `it lacks the table ${missing.join(', ')}`)
  for (const [table, shape] of Object.entries(shapes())) {
    const lost = shape.names
      .map(columnName)
      .filter((name) => !present.get(table)!.some(({ column }) => column === name))
    if (lost.length > 0) throw corrupt(file, `its table ${table} lacks the column ${lost.join(', ')}`)
  }
}

function logSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
}
