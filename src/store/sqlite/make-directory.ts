import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Mode 0700, and durable after a power loss. One level at a time: where nothing can be created (below /proc),
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

/** Syncs creations, renames and removals in a directory. If it cannot be opened, the system does that. */
export function syncDirectory(directory: string): void {
  let descriptor: number | undefined
  try {
    descriptor = openSync(directory, 'r')
    fsyncSync(descriptor)
  } catch {
    // no permission, or not supported
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
