import { accessSync, closeSync, constants, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorMessage } from '../../core/errors.ts'
import { tables } from '../tables.ts'
import { asStoreError, corrupt, foreign, full, newer, readonly } from './errors.ts'
import { SCHEMA_VERSION, schemaVersion } from './migrate.ts'

/** `OFSH`: marks a file as ours (sqlite.org/fileformat2.html#application_id). */
export const APPLICATION_ID = 0x4f465348

/**
 * Makes a missing file and looks at an existing one with nothing but reads, so that a foreign or damaged file meets no
 * SQLite that might repair it. @throws OffshootError `store_foreign`, `store_corrupt`, `store_readonly`, `store_full`
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

/** One level at a time: where nothing can be made (below /proc) `recursive` never returns. */
function makeDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(directory) !== directory) makeDirectory(dirname(directory))
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    // another process may have been faster
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/** @throws OffshootError `store_newer`, `store_corrupt`, `store_locked` */
export function inspectDatabase(file: string, timeout: number): void {
  let db: DatabaseSync | undefined
  try {
    // the last connection that closes moves the log into the file, and a damaged file is to stay as it is
    db = new DatabaseSync(file, { timeout, readOnly: logSize(file) > 0 })
    const version = schemaVersion(db)
    if (version > SCHEMA_VERSION) throw newer(file, version, SCHEMA_VERSION)
    if (statSync(file).size <= CHECKED_BYTES) checkPages(db, file)
    if (version === SCHEMA_VERSION) checkTables(db, file)
  } catch (error) {
    throw asStoreError(error, file)
  } finally {
    db?.close()
  }
}

/** A check reads the whole file, about 0.4 ms a megabyte; larger files are checked page by page as they are read. */
const CHECKED_BYTES = 64 * 1024 * 1024

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
  if (statSync(file).size > 0) return checkHeader(file) // another process has made it since
  throw corrupt(file, 'it is empty, and a log stands beside it')
}

function checkHeader(file: string): 'ours' {
  const head = readHead(file)
  const applicationId = head.length >= 100 ? head.readUInt32BE(68) : undefined
  if (head.toString('latin1', 0, MAGIC.length) === MAGIC) {
    if (applicationId === undefined) throw corrupt(file, 'it ends within its header')
    if (applicationId !== APPLICATION_ID) throw foreign(file, 'a database of another program')
    return 'ours'
  }
  if (applicationId === APPLICATION_ID || head.includes('REFERENCES conversations (id)')) {
    throw corrupt(file, 'its header is overwritten')
  }
  throw foreign(file, 'not a SQLite database')
}

/** The header, and the pages that hold the schema, in its own words. */
function readHead(file: string): Buffer {
  const head = Buffer.alloc(128 * 1024)
  const descriptor = openSync(file, 'r')
  try {
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0))
  } finally {
    closeSync(descriptor)
  }
}

/** @throws OffshootError `store_corrupt` */
export function checkPages(db: DatabaseSync, file: string): void {
  const found = db.prepare('PRAGMA quick_check(1)').get()!['quick_check'] as string
  if (found !== 'ok') throw corrupt(file, errorMessage(found.replace('*** in database main ***', '')))
}

/** Of a database of the present version. @throws OffshootError `store_corrupt` */
export function checkTables(db: DatabaseSync, file: string): void {
  const present = new Set(
    db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map((row) => row['name']),
  )
  const missing = Object.keys(tables).filter((table) => !present.has(table))
  if (missing.length > 0) throw corrupt(file, `it lacks the table ${missing.join(', ')}`)
}

function logSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

function fileError(error: unknown, file: string): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOSPC' || code === 'EDQUOT' ? full(file, String(code), error) : readonly(file, error)
}
