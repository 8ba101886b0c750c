import { fileErrorWords } from '../core/file-error-words.ts'
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, parse, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OffshootError } from '../core/errors.ts'
import { guardOf } from './guarded-files.ts'
import type { ResolvedPath, Workspace } from './port.ts'
import { isOwnView, walkPath } from './walk-path.ts'

export interface WorkspaceOptions {
  /** The directory for `~`. */
  readonly home?: string
  /** Outside directories with the program's own configuration and data; they count as `config`. */
  readonly ownDirectories?: readonly string[]
}

/**
 * The workspace of a directory. `resolve` never throws: a path that the system could not follow, or that leads to a
 * device, a pipe or a socket, counts as outside. `$NAME` is not expanded. @throws OffshootError `usage` for an unusable
 * directory.
 */
export function createWorkspace(directory: string, options: WorkspaceOptions = {}): Workspace {
  const root = realDirectory(directory)
  const home = options.home ?? homeOr(parse(root).root)
  const own = (options.ownDirectories ?? []).map(realOrSame).filter((each) => !isWithin(each, root))
  return {
    root,
    resolve: (path) => resolvePath(root, own, expand(path, home)),
  }
}

/** A user unknown to the system has no home. */
function homeOr(instead: string): string {
  try {
    return homedir() || instead
  } catch {
    return instead
  }
}

function realDirectory(directory: string): string {
  try {
    const root = realpathSync.native(directory)
    if (statSync(root).isDirectory()) {
      accessSync(root, constants.R_OK | constants.X_OK)
      return root
    }
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const message = isMissing
      ? `there is no directory ${directory}`
      : `the directory ${directory} cannot be read: ${fileErrorWords(cause)}`
    throw new OffshootError('usage', message, { cause })
  }
  throw new OffshootError('usage', `${directory} is not a directory`)
}

function realOrSame(path: string): string {
  const { root, base } = splitRoot(resolve(path))
  return walkPath(root, base).real
}

/** Expands `~`, `~/x` and `file:` URLs, which shells and models write for absolute paths. */
function expand(path: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return home + path.slice(1)
  if (!/^file:/i.test(path)) return path
  try {
    return fileURLToPath(path)
  } catch {
    return parse(home).root
  }
}

function resolvePath(root: string, own: readonly string[], path: string): ResolvedPath {
  if (path.includes('\0')) return { absolute: path, relative: path, outside: true, guarded: null }
  const walked = walk(root, path)
  const inside = isWithin(root, walked.real)
  return {
    absolute: walked.real,
    relative: inside ? relative(root, walked.real).split(sep).join('/') || '.' : walked.real,
    outside: !inside || walked.unsure,
    guarded: guardOfAny(root, own, [walked.real, ...walked.links]),
    ...(isOwnView(walked) && { ownView: true }),
  }
}

/** Relative to the root if the path is written below it, so that names above the root do not matter. */
function walk(root: string, path: string): ReturnType<typeof walkPath> {
  if (!isAbsolute(path)) return walkPath(root, path)
  if (path === root || path.startsWith(root + sep)) return walkPath(root, path.slice(root.length + 1))
  const split = splitRoot(path)
  return walkPath(split.root, split.base)
}

function splitRoot(path: string): { root: string; base: string } {
  const { root } = parse(path)
  return { root, base: path.slice(root.length) }
}

/** A guarded symlink is guarded wherever it leads. */
function guardOfAny(root: string, own: readonly string[], paths: readonly string[]): ResolvedPath['guarded'] {
  const guards = paths.flatMap((path) => {
    if (isWithin(path, root)) return []
    const guard = guardOf(isWithin(root, path) ? relative(root, path) : path)
    if (guard && guard !== 'skill') return [guard]
    return own.some((directory) => isWithin(directory, path)) ? ['config' as const] : [guard]
  })
  return guards.find((guard) => guard && guard !== 'skill') ?? guards.find(Boolean) ?? null
}

function isWithin(directory: string, path: string): boolean {
  const prefix = directory.endsWith(sep) ? directory : directory + sep
  return path === directory || path.startsWith(prefix)
}
