import { opendirSync } from 'node:fs'
import type { Dirent } from 'node:fs'
import { sep } from 'node:path'
import { guardOf } from './guarded-files.ts'
import type { ResolvedPath, Workspace } from './port.ts'

export interface FoundFile extends ResolvedPath {
  /** A symbolic link; the path is its target. */
  readonly link: boolean
  /** Where the link itself is. */
  readonly at?: string
}

export interface FilesBelowOptions {
  /** With more entries the answer is null. */
  readonly limit?: number | undefined
  /** How many names below the directory a path has at most. */
  readonly levels?: number | undefined
}

/** With more entries the answer is "unknown". */
const MAX_ENTRIES = 10_000

/** Version control and installed packages: large, and not a person's own files. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/**
 * The files and links below a directory, so that a recursive command asks only if it can reach a file that needs it.
 * Does not enter links. null: too many entries, or an unreadable directory.
 */
export function filesBelow(
  workspace: Workspace,
  directory: string,
  { limit = MAX_ENTRIES, levels = Infinity }: FilesBelowOptions = {},
): readonly FoundFile[] | null {
  const found: FoundFile[] = []
  const pending = [{ current: directory, level: 1 }]
  let entries = 0
  while (pending.length > 0) {
    const { current, level } = pending.pop()!
    const names = entriesOf(current, limit - entries)
    if (names === null) return null
    entries += names.length
    for (const name of names) {
      const path = current.endsWith(sep) ? current + name.name : current + sep + name.name
      if (name.isDirectory()) {
        if (!SKIPPED.has(name.name) && level < levels) pending.push({ current: path, level: level + 1 })
      } else if (name.isSymbolicLink()) found.push({ ...workspace.resolve(path), link: true, at: path })
      else found.push(plainFile(workspace, path))
    }
  }
  return found
}

/** A file or a missing path has no entries. Stops reading above the limit. */
function entriesOf(directory: string, limit: number): readonly Dirent[] | null {
  try {
    return readUpTo(directory, limit)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : null
  }
}

function readUpTo(directory: string, limit: number): readonly Dirent[] | null {
  const found: Dirent[] = []
  using open = opendirSync(directory, { bufferSize: 128 })
  for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
    if (found.length >= limit) return null
    found.push(entry)
  }
  return found
}

function plainFile({ root, top = root }: Workspace, absolute: string): FoundFile {
  const inside = absolute.startsWith(top.endsWith(sep) ? top : top + sep)
  const inner = inside ? absolute.slice(top.endsWith(sep) ? top.length : top.length + 1) : absolute
  const name = sep === '/' || !inside ? inner : inner.split(sep).join('/')
  return { absolute, relative: name, outside: !inside, guarded: guardOf(name), link: false }
}
