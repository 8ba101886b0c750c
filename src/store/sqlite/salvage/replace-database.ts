import { existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncDirectory } from '../make-directory.ts'

/**
 * Replaces a damaged database by a new one. The damaged one is moved aside with its companion files, never deleted.
 * Returns its new path.
 */
export function replaceDatabase(file: string, by: string, now: number): string {
  const aside = `${file}.damaged-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`
  // the log first: it would be taken for the new database's
  for (const end of ['-wal', '-shm', '']) if (existsSync(file + end)) renameSync(file + end, aside + end)
  renameSync(by, file)
  syncDirectory(dirname(file))
  return aside
}
