import { errorMessage, OffshootError } from '../../core/errors.ts'

/**
 * Converts an error of SQLite, or of decoding its result, to one that says what to do. Other errors pass unchanged.
 * Result codes: sqlite.org/rescode.html.
 */
export function asStoreError(error: unknown, file: string): Error {
  if (error instanceof OffshootError) return error
  if (!(error instanceof Error)) return new OffshootError('internal', errorMessage(error))
  if (isUnreadable(error)) return corrupt(file, 'a stored value cannot be read', error)
  const result = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined
  return result === undefined ? error : fromResult(result, error, file)
}

export function corrupt(file: string, what: string, cause?: unknown): OffshootError {
  const hint =
    'Nothing was changed. offshoot doctor --repair copies what can be read to a new database and keeps this one.'
  return new OffshootError('store_corrupt', `the database ${file} is damaged: ${what}`, { hint, cause })
}

export function foreign(file: string, what: string): OffshootError {
  const hint = 'The file was not changed. Name another file, or move this one away.'
  return new OffshootError('store_foreign', `${file} is not an Offshoot database: ${what}`, { hint })
}

export function newer(file: string, version: number, known: number): OffshootError {
  const message = `the database ${file} was written by a newer offshoot (version ${version}; this program knows up to ${known})`
  return new OffshootError('store_newer', message, { hint: 'Update offshoot. The file was not changed.' })
}

export function readonly(file: string, cause: unknown): OffshootError {
  const hint =
    'Make the file and its directory writable for this user, or set OFFSHOOT_HOME to a directory that is.'
  const message = `the database ${file} cannot be written: ${errorMessage(cause)}`
  return new OffshootError('store_readonly', message, { hint, cause })
}

function full(file: string, what: string, cause: unknown): OffshootError {
  const hint = 'Free space on its disk (or raise its quota) and try again; what was stored before is safe.'
  return new OffshootError('store_full', `the database ${file} cannot take more: ${what}`, { hint, cause })
}

/** File errors of the system. */
export function fileError(error: unknown, file: string): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOSPC' || code === 'EDQUOT' ? full(file, String(code), error) : readonly(file, error)
}

export function locked(file: string, cause?: unknown): OffshootError {
  const hint = 'Try again when the other program has finished writing. Nothing was stored.'
  return new OffshootError('store_locked', `the database ${file} is locked by another program`, {
    hint,
    cause,
  })
}

export function isLocked(error: unknown): boolean {
  return error instanceof OffshootError && error.code === 'store_locked'
}

function fromResult(result: number, error: Error, file: string): OffshootError {
  const text = errorMessage(error)
  switch (result & 0xff) {
    case SQLITE.BUSY:
    case SQLITE.LOCKED:
    case SQLITE.PROTOCOL:
      return locked(file, error)
    case SQLITE.READONLY:
    case SQLITE.CANTOPEN:
    case SQLITE.PERM:
      return readonly(file, error)
    case SQLITE.FULL:
      return full(file, text, error)
    case SQLITE.IOERR:
      return READ_ERRORS.includes(result) ? corrupt(file, text, error) : full(file, text, error)
    case SQLITE.CORRUPT:
    case SQLITE.NOTADB:
      return corrupt(file, text, error)
    case SQLITE.CONSTRAINT:
      return new OffshootError(BY_CALLER.includes(result) ? 'conflict' : 'internal', text, { cause: error })
    default:
      return new OffshootError('internal', `the database ${file}: ${text}`, { cause: error })
  }
}

const SQLITE = {
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  CONSTRAINT: 19,
  NOTADB: 26,
} as const

/**
 * IOERR_READ, IOERR_SHORT_READ, IOERR_CORRUPTFS, IOERR_DATA: other codes are refused writes (quota, size limit, disk).
 */
const READ_ERRORS = [266, 522, 8458, 8202]

/** Foreign key, primary key, unique, row id. */
const BY_CALLER = [787, 1555, 2067, 2579]

function isUnreadable(error: Error): boolean {
  return error instanceof SyntaxError || ('code' in error && /^(ZSTD|Z)_/.test(String(error.code)))
}
