import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorMessage, OffshootError } from '../../core/errors.ts'
import { asStoreError } from './sqlite-errors.ts'
import { makeDirectory, syncDirectory } from './make-directory.ts'

/** Number of latest backups to keep. */
const KEPT = 3

/**
 * Copies the committed state of a database to `backups` beside it, mode 0600, even if it is locked for writing. Returns
 * the path of the copy. Removes older copies of the same version, left by programs killed before they changed it;
 * `dropOldBackups` removes others, once the copy is known to matter. @throws OffshootError like `asStoreError`: nothing
 * was changed, and the caller must not continue.
 */
export function backUp(file: string, version: number, now: number): string {
  const folder = join(dirname(file), 'backups')
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, '')
  const copy = join(folder, `${basename(file)}-${time}-version-${version}-${process.pid}`)
  try {
    makeDirectory(folder)
    keepLatest(folder, basename(file), (each) => each.includes(`-version-${version}-`))
    copyTo(copy, file)
    syncDirectory(folder)
  } catch (error) {
    throw noBackup(error, file, folder)
  }
  return copy
}

/** Keeps the latest backups of a database. */
export function dropOldBackups(file: string): void {
  keepLatest(join(dirname(file), 'backups'), basename(file))
}

function keepLatest(folder: string, name: string, isMeant: (copy: string) => boolean = () => true): void {
  const copies = copiesOf(name, folder).filter(isMeant)
  for (const old of copies.slice(0, -KEPT)) rmSync(join(folder, old), { force: true })
}

/** The latest backup of the store. */
export function latestBackup(file: string): string | undefined {
  const folder = join(dirname(file), 'backups')
  const latest = existsSync(folder) ? copiesOf(basename(file), folder).at(-1) : undefined
  return latest === undefined ? undefined : join(folder, latest)
}

function copyTo(copy: string, file: string): void {
  // VACUUM INTO needs an empty file and keeps its permissions
  closeSync(openSync(copy, 'wx', 0o600))
  // a separate connection: VACUUM is not possible in the transaction that excludes other processes
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    db.prepare('VACUUM INTO ?').run(copy)
    sync(copy)
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  } finally {
    db.close()
  }
}

/** Oldest first: the names share a prefix, followed by the time. */
function copiesOf(database: string, folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${database}-`))
    .toSorted()
}

function sync(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function noBackup(error: unknown, file: string, folder: string): OffshootError {
  const { code } = asStoreError(error, file) as Partial<OffshootError>
  const message = `the database ${file} was written by an older offshoot and was not upgraded: cannot make a backup in ${folder}: ${errorMessage(error)}`
  const isRoom =
    code === 'store_full' || (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
  return new OffshootError(isRoom ? 'store_full' : 'store_readonly', message, {
    hint: 'Free space there, or make the folder writable, then start again. The database was not changed.',
    cause: error,
  })
}
