import type { PermissionCall, PermissionPath } from '../types.ts'

/**
 * Resolves a path. Home directories, which only the shell knows, and paths that cannot be resolved count as outside.
 */
export function resolved(call: PermissionCall, path: string): PermissionPath {
  const elsewhere = { absolute: path, relative: path, outside: true, guarded: null }
  if (path.startsWith('~')) return elsewhere
  try {
    return call.resolvePath(path)
  } catch {
    return elsewhere
  }
}
