import type { Field } from './field.ts'
import { isStatic } from './field.ts'

/** Directories in which a command may run, relative to the workspace; null: unknown. */
export type Directories = readonly string[] | null

const MAX_DIRECTORIES = 8

export function eitherOf(a: Directories, b: Directories): Directories {
  if (a === null || b === null) return null
  const both = [...new Set([...a, ...b])]
  return both.length > MAX_DIRECTORIES ? null : both
}

/** Joins paths without resolving `..`, because links must be followed first. */
export function joinPath(directory: string, path: string): string {
  if (path === '.') return directory
  return directory === '.' || path.startsWith('/') || path.startsWith('~') ? path : `${directory}/${path}`
}

/**
 * The directories after `cd`, `pushd` or `popd`. `lines`: the command for each value of its variables; `root`:
 * absolute.
 */
export function changedDirectories(
  lines: readonly (readonly Field[])[],
  from: Directories,
  root: string,
): Directories {
  return lines.reduce<Directories>((found, line) => {
    const next = changedBy(line, from, root)
    return found !== null && found.length === 0 ? next : eitherOf(found, next)
  }, [])
}

function changedBy([name, ...args]: readonly Field[], from: Directories, root: string): Directories {
  if (name?.text === 'popd') return null
  if (name?.text !== 'cd' && name?.text !== 'pushd') return from
  const [target, more] = args.filter((arg) => !/^(-[LPe@]+|--)$/.test(arg.text))
  if (target === undefined) return name.text === 'cd' ? ['~'] : null
  if (more !== undefined || !isStatic(target) || target.glob || target.text === '-' || from === null)
    return null
  const path = target.text === root ? '.' : target.text
  return from.map((directory) => joinPath(directory, path))
}
