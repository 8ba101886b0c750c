import { isAbsolute, sep } from 'node:path'
import type { ResolvedPath, Workspace } from './port.ts'

/**
 * A workspace for an agent with its own directory: paths start there and are relative to it, and paths elsewhere are
 * absolute. The whole workspace decides what is outside or guarded. `directory` is resolved to its current target.
 * Never throws.
 */
export function workspaceAt(whole: Workspace, directory: string): Workspace {
  const root = whole.resolve(directory).absolute
  return {
    root,
    top: whole.root,
    resolve(path) {
      const resolved = resolveAt(whole, root, path)
      return { ...resolved, relative: nameFrom(root, resolved.absolute) }
    },
  }
}

/** The target of a path that starts in a directory, named relative to the whole workspace, whose rules apply. */
export function resolveAt(whole: Workspace, directory: string, path: string): ResolvedPath {
  const startsThere = !isAbsolute(path) && !/^(~(\/|$)|file:)/i.test(path)
  return whole.resolve(startsThere ? `${directory}${sep}${path}` : path)
}

function nameFrom(directory: string, absolute: string): string {
  if (absolute === directory) return '.'
  const prefix = directory.endsWith(sep) ? directory : directory + sep
  return absolute.startsWith(prefix) ? absolute.slice(prefix.length).split(sep).join('/') : absolute
}
