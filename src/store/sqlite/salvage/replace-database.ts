import { existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncDirectory } from '../make-directory.ts'

/**
 * Puts a new database in the place of a damaged one, which is moved aside with what lies beside it, and never deleted.
 * Returns where the damaged one is.
 */
export function replaceDatabase(file: string, by: string, now: number): string {
  const aside = `${file}.damaged-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`
  // first the log: it would be taken for one of the new database
  for (const end of ['-wal', '-shm', '']) if (existsSync(file + end)) renameSync(file + end, aside + end)
  renameSync(by, file)
  syncDirectory(dirname(file))
  return aside
}
