import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, parse, sep } from 'node:path'

export interface WalkedPath {
  /** Without symlinks; what does not exist keeps its names. */
  readonly real: string
  /** The places of the symlinks that were followed. */
  readonly links: readonly string[]
  /** The system itself could not say where this leads, or it leads to something that is neither file nor directory. */
  readonly unsure: boolean
}

/**
 * Follows a path name by name from a real directory, as the kernel does: `..` after a symlink leaves the link's target,
 * not the place of the link. Never throws.
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
  /** How many names at the end of `real` do not exist. */
  missing: number
  unsure: boolean
}

function take(walk: Walk, name: string): void {
  // `file/`, `file/.` and `file/..` are errors to the kernel.
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
  // What /proc shows depends on who looks, and when.
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

/** Where case does not matter, the existing part gets the case that the file system keeps. */
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
