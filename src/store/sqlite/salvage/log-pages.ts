import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** The part of a database in its log. */
export interface LogPages {
  /** Database size in pages after the log's last commit; 0 without one. */
  readonly count: number
  readonly isTorn: boolean
  read(page: number): Buffer | undefined
  close(): void
}

/** Up to its last complete commit, as SQLite reads it (sqlite.org/fileformat2.html#the_write_ahead_log). */
export function readLog(file: string, pageSize: number): LogPages {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch {
    return NO_LOG
  }
  const { places, count, isTorn } = readFrames(descriptor, pageSize)
  return {
    count,
    isTorn,
    read(page) {
      const place = places.get(page)
      return place === undefined ? undefined : bytesAt(descriptor, place, pageSize)
    },
    close: () => closeSync(descriptor),
  }
}

const NO_LOG: LogPages = { count: 0, isTorn: false, read: () => undefined, close: () => {} }

const HEAD = 32
const FRAME_HEAD = 24

interface Frames {
  /** Position of a page's latest committed content in the log. */
  readonly places: ReadonlyMap<number, number>
  readonly count: number
  readonly isTorn: boolean
}

function readFrames(descriptor: number, pageSize: number): Frames {
  const places = new Map<number, number>()
  const { size } = fstatSync(descriptor)
  const head = bytesAt(descriptor, 0, HEAD)
  if (size === 0 || !head) return { places, count: 0, isTorn: size > 0 }
  const magic = head.readUInt32BE(0)
  const sum = new CheckSum(magic === BIG_ENDIAN)
  sum.add(head.subarray(0, 24))
  const isWhole = (magic & ~1) === LITTLE_ENDIAN && head.readUInt32BE(8) === pageSize && sum.is(head, 24)
  if (!isWhole) return { places, count: 0, isTorn: true }
  let count = 0
  let begun = new Map<number, number>()
  let at = HEAD
  for (; at + FRAME_HEAD + pageSize <= size; at += FRAME_HEAD + pageSize) {
    const frame = bytesAt(descriptor, at, FRAME_HEAD + pageSize)
    // frames of an earlier use of the log follow the current ones
    if (!frame || frame.compare(head, 16, 24, 8, 16) !== 0) break
    sum.add(frame.subarray(0, 8))
    sum.add(frame.subarray(FRAME_HEAD))
    if (!sum.is(frame, 16)) return { places, count, isTorn: true }
    begun.set(frame.readUInt32BE(0), at + FRAME_HEAD)
    if (frame.readUInt32BE(4) === 0) continue
    count = frame.readUInt32BE(4)
    for (const [page, place] of begun) places.set(page, place)
    begun = new Map()
  }
  return { places, count, isTorn: begun.size > 0 }
}

const LITTLE_ENDIAN = 0x377f0682
const BIG_ENDIAN = 0x377f0683

/** sqlite.org/fileformat2.html#checksum_algorithm */
class CheckSum {
  readonly #isBig: boolean
  #first = 0
  #second = 0

  constructor(isBig: boolean) {
    this.#isBig = isBig
  }

  add(bytes: Buffer): void {
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      this.#first = (this.#first + this.#word(bytes, at) + this.#second) >>> 0
      this.#second = (this.#second + this.#word(bytes, at + 4) + this.#first) >>> 0
    }
  }

  is(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first && bytes.readUInt32BE(at + 4) === this.#second
  }

  #word(bytes: Buffer, at: number): number {
    return this.#isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
  }
}

/** Undefined if that many bytes cannot be read. */
function bytesAt(descriptor: number, position: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length)
  try {
    return readSync(descriptor, bytes, 0, length, position) === length ? bytes : undefined
  } catch {
    return undefined
  }
}
