import { constants, type Dirent } from 'node:fs'
import { lstat, open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import type { AgentFiles, Unreadable } from './agent-files.ts'

const MAX_BYTES = 1024 * 1024
const MAX_DEPTH = 8
const MAX_FILES = 1_000
const MAX_DIRECTORIES = 500
const MAX_ENTRIES = 10_000

/**
 * Reads agent files: follows links to files inside `within`, and links to directories only inside the directory; reads
 * nothing twice, and opens only regular files. Skips a directory that is too large to be an agents directory.
 */
export const diskFiles: AgentFiles = {
  async list(directory, extensions, deep, within) {
    if (await leadsOut(directory, within)) return [{ path: directory, problem: LEADS_OUT }]
    const walk: Walk = {
      extensions,
      deep,
      within,
      seen: new Set(),
      found: [],
      entries: 0,
      tooLarge: false,
      tooDeep: false,
    }
    await visit(directory, 0, walk)
    if (walk.tooLarge) return [tooLarge(directory)]
    const { found } = walk
    if (found.length > MAX_FILES) return [...found.slice(0, MAX_FILES), tooMany(directory)]
    return walk.tooDeep ? [...found, tooDeep(directory)] : found
  },
  async has(path) {
    try {
      return Boolean(await lstat(path))
    } catch {
      return false
    }
  },
  async read(path, within) {
    try {
      if (await leadsOut(path, within)) return { path, problem: LEADS_OUT }
      return await readText(path)
    } catch (error) {
      return { path, problem: reason(error) }
    }
  },
}

const LEADS_OUT = 'it is a link that leads out of the workspace'

/** What is not there leads nowhere: reading it says why. */
async function leadsOut(path: string, within: string | undefined): Promise<boolean> {
  if (within === undefined) return false
  try {
    return leaves(await realpath(within), await realpath(path))
  } catch {
    return false
  }
}

interface Walk {
  readonly extensions: readonly string[]
  readonly deep: boolean
  readonly within: string | undefined
  /** Real paths of directories; the first is the top. */
  readonly seen: Set<string>
  readonly found: (string | Unreadable)[]
  entries: number
  tooLarge: boolean
  tooDeep: boolean
}

async function visit(directory: string, depth: number, walk: Walk): Promise<void> {
  if (walk.tooLarge || walk.found.length > MAX_FILES) return
  const entries = await entriesIn(directory, walk)
  if (depth > MAX_DEPTH && entries.length > 0) {
    walk.tooDeep = true
    return
  }
  walk.entries += entries.length
  walk.tooLarge = walk.seen.size > MAX_DIRECTORIES || walk.entries > MAX_ENTRIES
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (await isDirectory(entry, path)) await (walk.deep && visit(path, depth + 1, walk))
    else if (walk.extensions.some((extension) => entry.name.toLowerCase().endsWith(extension)))
      walk.found.push(await unlessLeadsOut(entry, path, walk))
  }
}

/** A link that leads out of `within` is listed with the reason. Other files are inside: their directory is. */
async function unlessLeadsOut(entry: Dirent, path: string, { within }: Walk): Promise<string | Unreadable> {
  return entry.isSymbolicLink() && (await leadsOut(path, within)) ? { path, problem: LEADS_OUT } : path
}

/** Sorted; empty if there is nothing, or nothing new, to read. */
async function entriesIn(directory: string, { seen, found }: Walk): Promise<Dirent[]> {
  try {
    const real = await realpath(directory)
    const [top] = seen
    if (top !== undefined && leaves(top, real)) {
      found.push({ path: directory, problem: 'it is a link to a place outside the agents directory' })
      return []
    }
    if (seen.has(real)) return []
    seen.add(real)
    const entries = await readdir(directory, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') found.push({ path: directory, problem: reason(error) })
    return []
  }
}

function leaves(top: string, real: string): boolean {
  const [first] = relative(top, real).split(sep)
  return first === '..' || isAbsolute(relative(top, real))
}

async function isDirectory(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false // reading it as a file will report why
  }
}

async function readText(path: string): Promise<string | Unreadable> {
  // a pipe would block the open itself
  await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  if (!(await file.stat()).isFile()) return { path, problem: 'it is not a regular file' }
  const bytes = await readAtMost(file, MAX_BYTES + 1)
  if (bytes.length > MAX_BYTES) return { path, problem: `it is larger than ${MAX_BYTES} bytes` }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { path, problem: 'it is not UTF-8 text' }
  }
}

async function readAtMost(file: FileHandle, limit: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(limit)
  for (let length = 0; ;) {
    const { bytesRead } = await file.read(bytes, length, limit - length)
    length += bytesRead
    if (bytesRead === 0 || length === limit) return bytes.subarray(0, length)
  }
}

function tooMany(directory: string): Unreadable {
  return { path: directory, problem: `it has more than ${MAX_FILES} files; the rest are skipped` }
}

function tooDeep(directory: string): Unreadable {
  return { path: directory, problem: `it is deeper than ${MAX_DEPTH} directories; deeper files are skipped` }
}

function tooLarge(directory: string): Unreadable {
  const most = `${MAX_DIRECTORIES} directories or ${MAX_ENTRIES} entries`
  return { path: directory, problem: `it has more than ${most}, so none of it is read` }
}

function reason(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ELOOP') return 'it is a symbolic link to itself'
  if (code === 'ENOENT') return 'it is a broken symbolic link'
  if (code === 'EACCES' || code === 'EPERM') return 'permission to read it was denied'
  return `it cannot be read (${code})`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
