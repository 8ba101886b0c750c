import { statSync } from 'node:fs'
import { OffshootError, errorMessage } from '../core/errors.ts'

export type SpawnFailure = 'program_missing' | 'directory_missing' | 'not_permitted' | 'too_long' | 'other'

/** A program that did not start. */
export class SpawnError extends OffshootError {
  readonly reason: SpawnFailure

  constructor(reason: SpawnFailure, message: string, cause: unknown) {
    super(
      reason === 'program_missing' || reason === 'directory_missing' ? 'not_found' : 'internal',
      message,
      { cause },
    )
    this.name = 'SpawnError'
    this.reason = reason
  }
}

/** The system's error as text: ENOENT means either a missing program or a missing directory. */
export function spawnError(error: unknown, program: string, directory: string): SpawnError {
  const code = (error as NodeJS.ErrnoException).code
  if ((code === 'ENOENT' || code === 'ENOTDIR') && !isDirectory(directory)) {
    return new SpawnError(
      'directory_missing',
      `cannot start ${program}: ${directory} is not a directory`,
      error,
    )
  }
  if (code === 'ENOENT')
    return new SpawnError('program_missing', `cannot start ${program}: there is no such program`, error)
  if (code === 'EACCES' || code === 'EPERM')
    return new SpawnError('not_permitted', `cannot start ${program}: not permitted`, error)
  if (code === 'E2BIG')
    return new SpawnError('too_long', `cannot start ${program}: its arguments are too long`, error)
  return new SpawnError('other', `cannot start ${program}: ${errorMessage(error)}`, error)
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
