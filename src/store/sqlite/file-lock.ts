import type { DatabaseSync } from 'node:sqlite'
import { errorMessage, OffshootError } from '../../core/errors.ts'

const WAIT_MS = 5_000

/**
 * Runs `work` while no other process does the same with this file. Uses SQLite's lock on a file: the system releases it
 * when the process ends. Writes nothing to the file. @throws OffshootError `conflict` if another process keeps the lock
 * for five seconds, or it cannot be taken.
 */
export function withFileLock<T>(file: string, work: () => T): T {
  const lock = lockOn(file)
  try {
    return work()
  } finally {
    lock.close()
  }
}

function lockOn(file: string): DatabaseSync {
  const sqlite = process.getBuiltinModule('node:sqlite') // not before: every start reads what this guards, few change it
  let lock: DatabaseSync | undefined
  try {
    lock = new sqlite.DatabaseSync(file, { timeout: WAIT_MS })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    throw new OffshootError('conflict', `${file} cannot be locked: ${errorMessage(error)}`, {
      hint: 'Try again when no other process changes it.',
      cause: error,
    })
  }
}
