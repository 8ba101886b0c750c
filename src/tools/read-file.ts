import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import type { FileData } from '../core/message.ts'
import { openFile, type OpenedFile } from './open-file.ts'
import { ToolError, type FileStamp, type ResolvedPath } from './port.ts'
import { LineRange } from './text-range.ts'

export interface FileText {
  readonly type: 'text'
  readonly lines: readonly string[]
  /** null: the file was too large to be read completely. */
  readonly total: number | null
  readonly stamp: FileStamp | null
}

export interface FileImage {
  readonly type: 'file'
  readonly file: FileData
  readonly size: number
  readonly stamp: FileStamp
}

/** Larger files are read only up to the wanted lines, and cannot be edited. */
const MAX_WHOLE_BYTES = 32 * 1024 * 1024
const MAX_LINE = 2_000
const SNIFF_BYTES = 8_192
const CHUNK_BYTES = 256 * 1024

/** Models accept images up to 5 MB and documents up to about twice that. */
const MAX_MEDIA_BYTES: Readonly<Record<string, number>> = { 'application/pdf': 10_000_000 }
const MAX_IMAGE_BYTES = 5_000_000

/** @throws ToolError like `openFile`, and `binary`, `too_large`. */
export async function readFile(
  target: ResolvedPath,
  range: { first: number; count: number },
  signal?: AbortSignal,
): Promise<FileText | FileImage> {
  const opened = await openFile(target)
  try {
    const start = await readStart(opened.handle)
    const mediaType = mediaTypeOf(start)
    if (mediaType) return await readMedia(target, opened, mediaType)
    if (start.includes(0)) throw binary(target, opened.stats.size)
    return await readLines(opened, range, signal)
  } finally {
    await opened.handle.close()
  }
}

/** A whole file, with the stamp of exactly these bytes. */
export async function readBytes(
  target: ResolvedPath,
): Promise<{ bytes: Buffer; stamp: FileStamp; stats: Stats }> {
  const { handle, stats } = await openFile(target)
  try {
    if (stats.size > MAX_WHOLE_BYTES) throw tooLarge(target, stats.size, MAX_WHOLE_BYTES)
    const bytes = await handle.readFile()
    return { bytes, stamp: stampOf(bytes, stats.mtimeMs), stats }
  } finally {
    await handle.close()
  }
}

export function stampOf(bytes: Uint8Array, mtimeMs: number): FileStamp {
  return { size: bytes.length, mtimeMs, hash: createHash('sha256').update(bytes).digest('hex') }
}

async function readStart(handle: FileHandle): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0)
  return buffer.subarray(0, bytesRead)
}

function mediaTypeOf(start: Buffer): string | undefined {
  const head = start.subarray(0, 12).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif'
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'image/webp'
  return head.startsWith('%PDF-') ? 'application/pdf' : undefined
}

async function readMedia(target: ResolvedPath, opened: OpenedFile, mediaType: string): Promise<FileImage> {
  const limit = MAX_MEDIA_BYTES[mediaType] ?? MAX_IMAGE_BYTES
  if (opened.stats.size > limit) throw tooLarge(target, opened.stats.size, limit)
  const bytes = await opened.handle.readFile()
  const file = { mediaType, data: bytes.toString('base64'), filename: basename(target.absolute) }
  return { type: 'file', file, size: bytes.length, stamp: stampOf(bytes, opened.stats.mtimeMs) }
}

async function readLines(
  { handle, stats }: OpenedFile,
  range: { first: number; count: number },
  signal: AbortSignal | undefined,
): Promise<FileText> {
  const lines = new LineRange(range.first, range.count, MAX_LINE)
  const decoder = new StringDecoder('utf8')
  const hash = createHash('sha256')
  const buffer = Buffer.alloc(CHUNK_BYTES)
  let size = 0
  for (;;) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, size)
    if (bytesRead === 0) break
    const chunk = buffer.subarray(0, bytesRead)
    const text = decoder.write(chunk)
    lines.push(size === 0 ? text.replace(/^\ufeff/, '') : text)
    hash.update(chunk)
    size += bytesRead
    if (size > MAX_WHOLE_BYTES && lines.satisfied)
      return { type: 'text', lines: lines.lines, total: null, stamp: null }
  }
  lines.push(decoder.end())
  lines.end()
  const stamp = size > MAX_WHOLE_BYTES ? null : { size, mtimeMs: stats.mtimeMs, hash: hash.digest('hex') }
  return { type: 'text', lines: lines.lines, total: lines.total, stamp }
}

function binary(target: ResolvedPath, size: number): ToolError {
  return new ToolError(
    'binary',
    `${target.relative} is a binary file of ${size} bytes; only text, images and PDFs can be read`,
    'Look at it with a program, for example `file` or `strings`, if you need to.',
  )
}

function tooLarge(target: ResolvedPath, size: number, limit: number): ToolError {
  return new ToolError(
    'too_large',
    `${target.relative} has ${size} bytes; at most ${limit} can be handled here`,
  )
}
