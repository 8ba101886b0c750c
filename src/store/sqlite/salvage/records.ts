import type { Pages } from './database-pages.ts'

/** A value of a record; an integer beyond the exact range of numbers makes the record unreadable. */
export type Value = string | number | Buffer | null

export interface PageRecords {
  /** For a table stored by row id, or by key. */
  readonly kind: 'rows' | 'keys'
  readonly records: readonly (readonly Value[])[]
  /** Cells of the page with an invalid or incomplete record. */
  readonly unreadable: number
}

/**
 * The records of a page with records; undefined for any other, and for an overwritten one. `used` receives the overflow
 * pages of long records (sqlite.org/fileformat2.html#b_tree_pages).
 */
export function recordsOf(pages: Pages, number: number, used: Set<number>): PageRecords | undefined {
  const page = pages.read(number)
  const start = number === 1 ? 100 : 0
  const type = page?.[start]
  if (!page || (type !== ROW_LEAF && type !== KEY_LEAF && type !== KEY_INNER)) return undefined
  const cells = page.readUInt16BE(start + 3)
  const pointers = start + (type === KEY_INNER ? 12 : 8)
  if (pointers + 2 * cells > pages.usable) return undefined
  const records: (readonly Value[])[] = []
  for (let i = 0; i < cells; i++) {
    const record = attempt(() =>
      cellRecord(pages, { page, type, start: page.readUInt16BE(pointers + 2 * i) }, used),
    )
    if (record) records.push(record)
  }
  return { kind: type === ROW_LEAF ? 'rows' : 'keys', records, unreadable: cells - records.length }
}

const ROW_LEAF = 0x0d
const KEY_LEAF = 0x0a
const KEY_INNER = 0x02

/** A page without records by its type: an inner page of a table. */
export function isInner(pages: Pages, number: number): boolean {
  return pages.read(number)?.[number === 1 ? 100 : 0] === ROW_INNER
}

const ROW_INNER = 0x05

/** Invalid numbers lead beyond the bytes, and reading there throws. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

interface Cell {
  readonly page: Buffer
  /** Of the page. */
  readonly type: number
  readonly start: number
}

function cellRecord(pages: Pages, { page, type, start }: Cell, used: Set<number>) {
  const bytes = new Bytes(page, start + (type === KEY_INNER ? 4 : 0))
  const length = bytes.varint()
  if (type === ROW_LEAF) bytes.varint()
  return record(
    payload(pages, { page, at: bytes.at, length, local: localBytes(pages.usable, length, type) }, used),
  )
}

/** How much of a record is in its page; the rest is on overflow pages. */
function localBytes(usable: number, length: number, type: number): number {
  const most = type === ROW_LEAF ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (length <= most) return length
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = least + ((length - least) % (usable - 4))
  return fitting <= most ? fitting : least
}

interface Payload {
  readonly page: Buffer
  readonly at: number
  readonly length: number
  /** How much of it is in the page. */
  readonly local: number
}

function payload(pages: Pages, { page, at, length, local }: Payload, used: Set<number>): Buffer {
  if (length > pages.count * pages.usable || at + local > page.length) throw new RangeError('too long')
  const pieces = [page.subarray(at, at + local)]
  let next = local < length ? page.readUInt32BE(at + local) : 0
  for (let left = length - local; left > 0; left -= pages.usable - 4) {
    const further = pages.read(next)
    if (!further) throw new RangeError('ends early')
    used.add(next)
    pieces.push(further.subarray(4, 4 + Math.min(left, pages.usable - 4)))
    next = further.readUInt32BE(0)
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

/** sqlite.org/fileformat2.html#record_format */
function record(bytes: Buffer): Value[] {
  const head = new Bytes(bytes, 0)
  const body = new Bytes(bytes, head.varint())
  const end = body.at
  const values: Value[] = []
  while (head.at < end) values.push(body.value(head.varint()))
  if (head.at !== end || body.at !== bytes.length) throw new RangeError('no record')
  return values
}

/** Throws when reading beyond the end. */
class Bytes {
  readonly #bytes: Buffer
  at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  varint(): number {
    let value = 0
    for (let i = 0; i < 8; i++) {
      const byte = this.#bytes.readUInt8(this.at++)
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
    return value * 256 + this.#bytes.readUInt8(this.at++)
  }

  value(type: number): Value {
    if (type === 0) return null
    if (type === 8 || type === 9) return type - 8
    if (type === 7) return this.#take(8).readDoubleBE(0)
    if (type < 7) return this.#integer(INTEGER_BYTES[type - 1]!)
    if (type < 12) throw new RangeError('no such type')
    const bytes = this.#take(Math.floor((type - 12) / 2))
    return type % 2 === 0 ? Buffer.from(bytes) : UTF8.decode(bytes)
  }

  #integer(length: number): number {
    const value =
      length === 8 ? Number(this.#take(8).readBigInt64BE(0)) : this.#take(length).readIntBE(0, length)
    if (!Number.isSafeInteger(value)) throw new RangeError('not exact')
    return value
  }

  #take(length: number): Buffer {
    const end = this.at + length
    if (end > this.#bytes.length) throw new RangeError('ends early')
    const bytes = this.#bytes.subarray(this.at, end)
    this.at = end
    return bytes
  }
}

const INTEGER_BYTES = [1, 2, 3, 4, 6, 8]
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
