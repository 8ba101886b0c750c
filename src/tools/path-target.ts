import { ToolError, type ResolvedPath, type ToolContext } from './port.ts'

/**
 * The current target of a path in an input. @throws ToolError if the target has changed since the call was decided, or
 * the path is invalid for system calls.
 */
export function targetOf(context: ToolContext, path: string): ResolvedPath {
  if (path.includes('\0'))
    throw new ToolError('invalid_path', 'the path contains a NUL character; no file has such a name')
  const target = context.workspace.resolve(path)
  const decided = context.decidedPaths
  if (decided && !decided.some((each) => each.absolute === target.absolute)) throw pathChanged(path)
  return target
}

export function pathChanged(path: string): ToolError {
  return new ToolError(
    'path_changed',
    `${path} leads to another place than when the call was decided: a directory or link on the path was replaced`,
    'Look at the path with list, then call again.',
  )
}

/** Translates a file system error into words that a model can act on. */
export function namedFileError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof ToolError) return error
  const code = (error as NodeJS.ErrnoException).code
  const words = code === undefined ? undefined : FILE_ERRORS[code]
  return words === undefined ? error : new ToolError(words[0], `${path}: ${words[1]}`)
}

const FILE_ERRORS: Readonly<Record<string, readonly [code: string, words: string]>> = {
  ENOENT: ['not_found', 'there is no such file or directory'],
  ENOTDIR: ['not_found', 'a part of this path is a file, not a directory'],
  EISDIR: ['is_directory', 'this is a directory, not a file'],
  EACCES: ['not_permitted', 'the current user has no permission for this'],
  EPERM: ['not_permitted', 'the current user has no permission for this'],
  EROFS: ['not_permitted', 'the file system is read-only'],
  ENAMETOOLONG: ['invalid_path', 'the path is too long'],
  ELOOP: ['invalid_path', 'the symbolic links on this path form a loop'],
  ENXIO: ['not_a_file', 'this is a socket, a pipe or a device, not a file'],
  ENOSPC: ['no_space', 'the disk is full'],
  EDQUOT: ['no_space', 'the disk quota is used up'],
  EMFILE: ['busy', 'too many files are open; try again'],
}
