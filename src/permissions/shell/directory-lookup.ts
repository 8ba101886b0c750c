import type { PermissionCall } from '../types.ts'
import { resolved } from './resolve-path.ts'

/** Looks up directories that a command line changes to. Paths are relative to where the line starts. */
export interface DirectoryLookup {
  readonly isDirectory: (path: string) => boolean
  /** Whether git finds the same repository there as where the line starts. */
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
      // a directory with a HEAD may be a bare repository
      return (
        levels?.every((level) => ['.git', 'HEAD'].every((name) => entryAt(`${level}/${name}`) === 'none')) ===
        true
      )
    },
  }
}

/** The directory and its parents up to the root, without the root; null: it is outside the root. */
function levelsBelow(root: string, absolute: string): readonly string[] | null {
  if (absolute === root) return []
  if (!absolute.startsWith(root.endsWith('/') ? root : `${root}/`)) return null
  const names = absolute
    .slice(root.length)
    .split('/')
    .filter((name) => name !== '')
  return names.map((_, at) => `${root}/${names.slice(0, at + 1).join('/')}`)
}
