import { constants } from 'node:fs'
import { open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentFiles, Unreadable } from './agent-files.ts'

const MAX_BYTES = 1024 * 1024
const MAX_DEPTH = 8
const MAX_FILES = 1000

/** Agent files on disk: links are followed, but no directory is read twice, and only regular files are opened. */
export const diskFiles: AgentFiles = {
  async list(directory, extensions) {
    const found: (string | Unreadable)[] = []
    await walk(directory, extensions, 0, new Set(), found)
    return found.length <= MAX_FILES ? found : [...found.slice(0, MAX_FILES), tooMany(directory)]
  },
  async read(path) {
    try {
      return await readText(path)
    } catch (error) {
      return { path, problem: reason(error) }
    }
  },
}

async function walk(
  directory: string,
  extensions: readonly string[],
  depth: number,
  seen: Set<string>,
  found: (string | Unreadable)[],
): Promise<void> {
  if (depth > MAX_DEPTH || found.length > MAX_FILES) return
  const names = await namesIn(directory, seen)
  if (!Array.isArray(names)) {
    if (names) found.push(names)
    return
  }
  for (const name of names) {
    const path = join(directory, name)
    const isFile = extensions.some((extension) => name.toLowerCase().endsWith(extension))
    if (await isDirectory(path)) await walk(path, extensions, depth + 1, seen, found)
    else if (isFile) found.push(path)
  }
}

/** Sorted; null where there is nothing, or nothing new, to read. */
async function namesIn(directory: string, seen: Set<string>): Promise<string[] | Unreadable | null> {
  try {
    const real = await realpath(directory)
    if (seen.has(real)) return null
    seen.add(real)
    return (await readdir(directory)).sort()
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? null : { path: directory, problem: reason(error) }
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false // reading it as a file will say why
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
  return { path: directory, problem: `it holds more than ${MAX_FILES} files, the others are left out` }
}

function reason(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ELOOP') return 'it is a symbolic link that leads to itself'
  if (code === 'ENOENT') return 'it is a symbolic link that leads nowhere'
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be read'
  return `it cannot be read (${code})`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
