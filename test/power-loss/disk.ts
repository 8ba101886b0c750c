import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Operation } from './recording.ts'

/** What a disk keeps of what was not synced: of each 512 bytes written, of each file made, renamed or removed. */
export interface Chance {
  /** From 0 (nothing) to 1 (everything), for data. */
  readonly data: number
  /** The same for the entries of directories, which are kept in their order. */
  readonly names: number
  /** From 0 up to 1, another one at each call. */
  readonly random: () => number
}

/** A piece of a file that was written and not synced, or a new length. */
interface Pending {
  readonly offset: number
  readonly data: Buffer | undefined
}

interface FileNode {
  /** What is on the disk for sure. */
  synced: Buffer
  pending: Pending[]
}

/** `undefined`: a directory. */
type Entry = FileNode | undefined
type Change = readonly [path: string, entry: Entry | null]

/**
 * A disk that keeps what was synced, and of the rest what chance has it: a file's data once the file was synced, its
 * name once the directory was. Writes reach it in any order, and in pieces of 512 bytes.
 */
export class Disk {
  readonly #root: string
  /** By path, as the program sees it. */
  readonly #seen = new Map<string, Entry>()
  readonly #named = new Map<string, Entry>()
  #renames: Change[] = []

  constructor(root: string) {
    this.#root = root
  }

  apply({ kind, path, offset, data }: Operation): void {
    const node = this.#seen.get(path)
    switch (kind) {
      case 'create':
        return this.#rename([path, { synced: Buffer.alloc(0), pending: [] }])
      case 'mkdir':
        return this.#rename([path, undefined])
      case 'unlink':
        return this.#rename([path, null])
      case 'rename':
        this.#rename([data.toString(), node])
        return this.#rename([path, null])
      case 'write':
        return void node?.pending.push({ offset, data })
      case 'truncate':
        return void node?.pending.push({ offset, data: undefined })
      case 'sync':
        return node ? sync(node) : this.#syncNames(path)
      case 'said':
        return
    }
  }

  /** Writes what is there after a loss of power to a folder. */
  writeTo(folder: string, chance: Chance): void {
    const names = new Map(this.#named)
    for (const change of this.#renames) {
      if (chance.random() >= chance.names) break
      put(names, change)
    }
    for (const [path, node] of names) {
      if (!this.#isReachable(names, path)) continue
      const to = join(folder, relative(this.#root, path))
      if (!node) mkdirSync(to, { recursive: true })
      else
        writeFileSync(
          to,
          node.pending.reduce((bytes, each) => kept(bytes, each, chance), node.synced),
        )
    }
  }

  #isReachable(names: ReadonlyMap<string, Entry>, path: string): boolean {
    const parent = dirname(path)
    return parent === this.#root || (names.has(parent) && this.#isReachable(names, parent))
  }

  #rename(change: Change): void {
    put(this.#seen, change)
    this.#renames.push(change)
  }

  #syncNames(directory: string): void {
    const isOf = ([path]: Change) => dirname(path) === directory
    for (const change of this.#renames.filter(isOf)) put(this.#named, change)
    this.#renames = this.#renames.filter((change) => !isOf(change))
  }
}

function put(names: Map<string, Entry>, [path, entry]: Change): void {
  if (entry === null) names.delete(path)
  else names.set(path, entry)
}

function sync(node: FileNode): void {
  node.synced = node.pending.reduce((bytes, each) => kept(bytes, each, ALL), node.synced)
  node.pending = []
}

const ALL: Chance = { data: 1, names: 1, random: () => 0 }
const SECTOR = 512

function kept(bytes: Buffer, { offset, data }: Pending, { data: most, random }: Chance): Buffer {
  if (!data) return random() < most ? resized(bytes, offset) : bytes
  let result = bytes
  for (let at = 0; at < data.length;) {
    const end = Math.min(data.length, at + SECTOR - ((offset + at) % SECTOR))
    if (random() < most) {
      // a copy at the first change: the synced bytes are shared by all that may be left of them
      if (result === bytes || result.length < offset + end)
        result = resized(result, Math.max(result.length, offset + end))
      data.copy(result, offset + at, at, end)
    }
    at = end
  }
  return result
}

function resized(bytes: Buffer, length: number): Buffer {
  const result = Buffer.alloc(length)
  bytes.copy(result)
  return result
}
