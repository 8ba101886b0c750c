import { systemErrorWords } from '../core/file-error-words.ts'
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
  const known = systemErrorWords(error)
  return known === undefined ? error : new ToolError(known.code, `${path}: ${known.words}`)
}
