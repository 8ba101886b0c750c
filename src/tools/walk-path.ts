import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, parse, sep } from 'node:path'

export interface WalkedPath {
  /** The path without symlinks; missing names stay as given. */
  readonly real: string
  /** Paths of the followed symlinks. */
  readonly links: readonly string[]
  /** The system could not resolve the path, or it leads to something other than a file or directory. */
  readonly unsure: boolean
}

/** Whether a path leads through what is another file in another process, as /proc/self/cwd is. */
export function isOwnView({ links }: WalkedPath): boolean {
  return links.some((link) => link.startsWith('/proc/'))
}

/**
 * Resolves a path name by name from a real directory, as the kernel does: `..` after a symlink leaves the link's
 * target, not the link's directory. Never throws.
 */
export function walkPath(start: string, path: string): WalkedPath {
  const walk: Walk = {
    real: start,
    pending: path.split(sep).reverse(),
    links: [],
    kind: 'directory',
    missing: 0,
    unsure: false,
  }
  if (path.length > MAX_PATH) return { real: join(start, path), links: [], unsure: true }
  while (walk.pending.length > 0) take(walk, walk.pending.pop()!)
  return {
    real: canonical(walk.real, walk.missing),
    links: walk.links,
    unsure: walk.unsure || walk.kind === 'special',
  }
}

const MAX_PATH = 4_096
const MAX_LINKS = 40

interface Walk {
  real: string
  readonly pending: string[]
  readonly links: string[]
  kind: 'directory' | 'file' | 'special'
  /** Number of missing names at the end of `real`. */
  missing: number
  unsure: boolean
}

function take(walk: Walk, name: string): void {
  // the kernel rejects `file/`, `file/.` and `file/..`
  if (walk.kind !== 'directory') walk.unsure = true
  if (name === '' || name === '.') return
  if (name === '..') return goUp(walk)
  const next = join(walk.real, name)
  if (walk.missing > 0) return goMissing(walk, next)
  try {
    enter(walk, next)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') walk.unsure = true
    goMissing(walk, next)
  }
}

function goUp(walk: Walk): void {
  walk.real = dirname(walk.real)
  walk.kind = 'directory'
  if (walk.missing > 0) walk.missing--
}

function goMissing(walk: Walk, next: string): void {
  walk.real = next
  walk.missing++
}

function enter(walk: Walk, next: string): void {
  const stat = lstatSync(next)
  // the content of /proc depends on the reading process and the time
  if (next === '/proc') walk.unsure = true
  if (stat.isSymbolicLink()) return follow(walk, next)
  walk.kind = stat.isDirectory() ? 'directory' : stat.isFile() ? 'file' : 'special'
  walk.real = next
}

function follow(walk: Walk, link: string): void {
  walk.links.push(link)
  if (walk.links.length > MAX_LINKS) {
    walk.unsure = true
    walk.pending.length = 0
    walk.real = link
    return
  }
  const target = readlinkSync(link)
  const root = parse(target).root
  if (root !== '') walk.real = root
  walk.pending.push(...target.slice(root.length).split(sep).reverse())
}

/** Uses the stored case of the existing part on case-insensitive file systems. */
function canonical(real: string, missing: number): string {
  if (process.platform !== 'darwin' && process.platform !== 'win32') return real
  const names = real.split(sep)
  const existing = names.slice(0, names.length - missing).join(sep) || parse(real).root
  try {
    return join(realpathSync.native(existing), ...names.slice(names.length - missing))
  } catch {
    return real
  }
}
