import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Mode 0700, and there after a loss of power too. One level at a time: where nothing can be made (below /proc)
 * `recursive` never returns.
 */
export function makeDirectory(directory: string): void {
  if (isDirectory(directory)) return
  if (dirname(directory) !== directory) makeDirectory(dirname(directory))
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    if (!isDirectory(directory)) throw error // another process may have been faster
  }
  syncDirectory(dirname(directory))
}

/** What was made, renamed or removed in it stays so. Where a directory cannot be opened, the system sees to that. */
export function syncDirectory(directory: string): void {
  let descriptor: number | undefined
  try {
    descriptor = openSync(directory, 'r')
    fsyncSync(descriptor)
  } catch {
    // no right to read it, or a system that has no such thing
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
