import type { PermissionCall, PermissionPath } from '../types.ts'

/** Home directories are outside, wherever they are: only the shell knows them. So is what cannot be resolved. */
export function resolved(call: PermissionCall, path: string): PermissionPath {
  const elsewhere = { absolute: path, relative: path, outside: true, guarded: null }
  if (path.startsWith('~')) return elsewhere
  try {
    return call.resolvePath(path)
  } catch {
    return elsewhere
  }
}
