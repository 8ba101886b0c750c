import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { guardOf } from './guarded.ts'
import type { ResolvedPath, Workspace } from './port.ts'

export interface FoundFile extends ResolvedPath {
  /** A symbolic link; the path is where it leads. */
  readonly link: boolean
}

/** Above this number of entries the answer is "not known". */
const MAX_ENTRIES = 10_000

/** Version control and installed packages: large, and not the files of a person. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/**
 * The files and links below a directory, so that a recursive command is asked about only where it can reach a file that
 * needs a question. Does not enter links. null: too many entries, or a directory that cannot be read.
 */
export function filesBelow(
  workspace: Workspace,
  directory: string,
  limit = MAX_ENTRIES,
): readonly FoundFile[] | null {
  const found: FoundFile[] = []
  const pending = [directory]
  let entries = 0
  while (pending.length > 0) {
    const current = pending.pop()!
    const names = entriesOf(current)
    entries += names?.length ?? 0
    if (names === null || entries > limit) return null
    for (const name of names) {
      const path = join(current, name.name)
      if (name.isDirectory()) {
        if (!SKIPPED.has(name.name)) pending.push(path)
      } else if (name.isSymbolicLink()) found.push({ ...workspace.resolve(path), link: true })
      else found.push(plainFile(workspace, path))
    }
  }
  return found
}

/** A file or nothing at all has nothing below it. */
function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : null
  }
}

function plainFile({ root, top = root }: Workspace, absolute: string): FoundFile {
  const inside = absolute.startsWith(top.endsWith(sep) ? top : top + sep)
  const name = inside ? relative(top, absolute).split(sep).join('/') : absolute
  return { absolute, relative: name, outside: !inside, guarded: guardOf(name), link: false }
}
