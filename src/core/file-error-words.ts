import { errorMessage } from './errors.ts'

/** Why a file operation of the system failed, as a clause without the path. */
export function fileErrorWords(error: unknown): string {
  return systemErrorWords(error)?.words ?? errorMessage(error)
}

/** undefined for an error of another kind. */
export function systemErrorWords(error: unknown): SystemError | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return code === undefined || !Object.hasOwn(ERRORS, code) ? undefined : ERRORS[code]
}

interface SystemError {
  /** As tools report it. */
  readonly code: string
  readonly words: string
}

const ERRORS: Readonly<Record<string, SystemError>> = {
  ENOENT: { code: 'not_found', words: 'there is no such file or directory' },
  ENOTDIR: { code: 'not_found', words: 'a part of this path is a file, not a directory' },
  EISDIR: { code: 'is_directory', words: 'this is a directory, not a file' },
  EACCES: { code: 'not_permitted', words: 'the current user has no permission for this' },
  EPERM: { code: 'not_permitted', words: 'the current user has no permission for this' },
  EROFS: { code: 'not_permitted', words: 'the file system is read-only' },
  ENAMETOOLONG: { code: 'invalid_path', words: 'the path is too long' },
  ELOOP: { code: 'invalid_path', words: 'the symbolic links on this path form a loop' },
  ENXIO: { code: 'not_a_file', words: 'this is a socket, a pipe or a device, not a file' },
  ENOSPC: { code: 'no_space', words: 'the disk is full' },
  EDQUOT: { code: 'no_space', words: 'the disk quota is used up' },
  EMFILE: { code: 'busy', words: 'too many files are open; try again' },
}
