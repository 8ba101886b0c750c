import { ToolError } from '../port.ts'

export type ContentKind = 'html' | 'text'

/** Text types outside of `text/`. */
const TEXT =
  /^application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|(?:x-)?(?:javascript|ndjson|sh|toml|yaml)|json-seq|graphql|sql)$/

/** @throws ToolError `binary` for a type that is not text, with type and size, before reading the body. */
export function checkReadable(contentType: string, contentLength: string | undefined): void {
  const type = mediaType(contentType)
  if (type === '' || kindOfType(type) !== null) return
  const size = /^\d{1,15}$/.test(contentLength ?? '') ? `${contentLength} bytes` : 'of unknown size'
  throw new ToolError('binary', `it is not text: ${shownType(type)}, ${size}`)
}

/** The kind of text in a body. @throws ToolError `binary` for bytes that text does not contain. */
export function contentKindOf(contentType: string, body: Buffer): ContentKind {
  const type = mediaType(contentType)
  const isWide = /utf-?16/i.test(contentType) || hasWideMark(body)
  if (!isWide && body.includes(0))
    throw new ToolError(
      'binary',
      `it is not text, despite its type: ${shownType(type)}, ${body.length} bytes`,
    )
  const kind = kindOfType(type)
  if (kind !== null) return kind
  return /^\s*(?:<!doctype html|<html|<head|<body)/i.test(body.subarray(0, SNIFFED).toString('latin1'))
    ? 'html'
    : 'text'
}

/** In lower case and without parameters. */
export function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}

/** A type that is safe to show: servers may send anything. */
export function shownType(type: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type.slice(0, 100) : 'of no type'
}

const SNIFFED = 4_096

function kindOfType(type: string): ContentKind | null {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  return type.startsWith('text/') || TEXT.test(type) ? 'text' : null
}

function hasWideMark(body: Buffer): boolean {
  return body.length >= 2 && [0xfeff, 0xfffe].includes(body.readUInt16BE())
}

/** Decodes a body: by its byte order mark, the server's charset, the page's charset, else UTF-8. */
export function decodeBody(contentType: string, kind: ContentKind, body: Buffer): string {
  const declared = /charset\s*=\s*["']?([\w.:-]{1,40})/i
  const head = kind === 'html' ? body.subarray(0, SNIFFED).toString('latin1') : ''
  const inPage = declared.exec(head)?.[1]
  const label =
    markOf(body) ?? declared.exec(contentType)?.[1] ?? (/^utf-?16/i.test(inPage ?? '') ? undefined : inPage)
  return decoder(label ?? 'utf-8')
    .decode(body)
    .toWellFormed()
}

function markOf(body: Buffer): string | undefined {
  if (body.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) return 'utf-8'
  if (!hasWideMark(body)) return undefined
  return body[0] === 0xfe ? 'utf-16be' : 'utf-16le'
}

function decoder(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
