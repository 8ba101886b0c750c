import type { PermissionCall } from '../types.ts'
import { resolved } from './resolve-path.ts'

/** What can be looked up of directories that a line changes to. Paths are seen from where the line starts. */
export interface DirectoryLookup {
  readonly isDirectory: (path: string) => boolean
  /** Git finds the repository there that it finds where the line starts. */
  readonly sharesRepository: (path: string) => boolean
}

export const UNSEEN: DirectoryLookup = { isDirectory: () => false, sharesRepository: () => false }

export function directoryLookupOf(call: PermissionCall): DirectoryLookup {
  const { entryAt } = call
  if (entryAt === undefined) return UNSEEN
  const root = resolved(call, '.').absolute
  return {
    isDirectory: (path) => entryAt(resolved(call, path).absolute) === 'directory',
    sharesRepository: (path) => {
      const { absolute } = resolved(call, path)
      const levels = entryAt(absolute) === 'directory' ? levelsBelow(root, absolute) : null
      // A directory with a HEAD may be a repository without a work tree.
      return (
        levels?.every((level) => ['.git', 'HEAD'].every((name) => entryAt(`${level}/${name}`) === 'none')) ===
        true
      )
    },
  }
}

/** The directory and those around it, up to the root and without it; null: it is elsewhere. */
function levelsBelow(root: string, absolute: string): readonly string[] | null {
  if (absolute === root) return []
  if (!absolute.startsWith(root.endsWith('/') ? root : `${root}/`)) return null
  const names = absolute
    .slice(root.length)
    .split('/')
    .filter((name) => name !== '')
  return names.map((_, at) => `${root}/${names.slice(0, at + 1).join('/')}`)
}
