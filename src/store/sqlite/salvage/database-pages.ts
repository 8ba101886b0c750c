import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readLog } from './log-pages.ts'

/** The committed pages of a database, whatever state the rest is in. Numbers start at 1. */
export interface Pages extends Disposable {
  readonly count: number
  /** Pages counted by the header but missing. */
  readonly missing: number
  /** Data bytes of a page. */
  readonly usable: number
  /** Undefined beyond the end, or if the disk cannot read it. */
  read(page: number): Buffer | undefined
  /** Free pages, from the database's free list. */
  readonly free: ReadonlySet<number>
  /** Whether the log ends in invalid data. */
  readonly isLogTorn: boolean
  /** The header of the first page; undefined if it is damaged. */
  readonly header: Header | undefined
}

export interface Header {
  readonly version: number
  readonly applicationId: number
}

/** sqlite.org/fileformat2.html. Changes nothing on disk. @throws the system's error if the file cannot be opened. */
export function openPages(file: string): Pages {
  const descriptor = openSync(file, 'r')
  const head = readAt(descriptor, 0, 100)
  const hasHeader = head?.toString('latin1', 0, 16) === 'SQLite format 3\0'
  const size = (hasHeader && pageSize(head)) || PAGE
  const log = readLog(`${file}-wal`, size)
  const inFile = Math.ceil(fstatSync(descriptor).size / size)
  const count = log.count || inFile
  const usable = size - (hasHeader ? head[20]! : 0)
  const read = (page: number) => {
    if (page < 1 || page > count) return undefined
    const bytes = log.read(page) ?? readAt(descriptor, (page - 1) * size, size)
    return bytes?.length === size ? bytes : undefined
  }
  const first = read(1)
  const isOurs = first?.toString('latin1', 0, 16) === 'SQLite format 3\0'
  return {
    count,
    missing: isOurs ? Math.max(0, first.readUInt32BE(28) - count) : 0,
    usable,
    read,
    free: isOurs ? freePages(first, read, usable) : new Set(),
    isLogTorn: log.isTorn,
    header: isOurs ? { version: first.readUInt32BE(60), applicationId: first.readUInt32BE(68) } : undefined,
    [Symbol.dispose]: () => {
      closeSync(descriptor)
      log.close()
    },
  }
}

/** Page size of every database of this program. */
const PAGE = 4096

function pageSize(head: Buffer): number | undefined {
  const size = head.readUInt16BE(16)
  return size >= 512 && (size & (size - 1)) === 0 ? size : undefined
}

/** The readable bytes of `length`; undefined if the disk refuses them. */
function readAt(descriptor: number, position: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length)
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position))
  } catch {
    return undefined
  }
}

/** Each page of the list names free pages and the next page of the list. */
function freePages(first: Buffer, read: Pages['read'], usable: number): Set<number> {
  const free = new Set<number>()
  for (let at = first.readUInt32BE(32); at !== 0 && !free.has(at);) {
    const page = read(at)
    const named = page?.readUInt32BE(4) ?? 0
    if (!page || named > usable / 4 - 2) return free
    free.add(at)
    for (let i = 0; i < named; i++) free.add(page.readUInt32BE(8 + 4 * i))
    at = page.readUInt32BE(0)
  }
  return free
}
