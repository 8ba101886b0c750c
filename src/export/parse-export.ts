import { issueWords } from '../core/issue-words.ts'
import type { z } from 'zod'
import { errorMessage, OffshootError } from '../core/errors.ts'
import { checkReferences } from './check-references.ts'
import { damaged, DamagedExport } from './damaged-export.ts'
import { levelSchemas } from './document-schema.ts'
import { at, EXPORT_VERSION, type ExportDocument } from './document.ts'

/** Bounds of a document, which protect a reader's memory. Bytes, and JSON values. */
export const MAX_EXPORT_BYTES = 256 * 1024 * 1024
const MAX_VALUES = 10_000_000

/** Parses an export document of unknown origin. @throws OffshootError `usage` with the first problem and its place. */
export function parseExport(text: string): ExportDocument {
  checkSize(text)
  const value = parseJson(text)
  checkVersion(value)
  checkShape(value)
  const document = value as ExportDocument
  checkReferences(document)
  return document
}

function checkSize(text: string): void {
  if (text.length > MAX_EXPORT_BYTES)
    throw new OffshootError('usage', `the export is larger than ${MAX_EXPORT_BYTES / 1024 / 1024} MiB`)
  if (countValues(text) > MAX_VALUES)
    throw new OffshootError('usage', `the export has more than ${MAX_VALUES} values`)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const BRACKET = 0x5b
const BRACE = 0x7b

/** Upper bound of the number of values in a JSON text, without parsing; stops counting above the limit. */
function countValues(text: string): number {
  let values = 1
  for (let i = 0; i < text.length && values <= MAX_VALUES; i++) {
    const code = text.charCodeAt(i)
    if (code === COMMA || code === BRACKET || code === BRACE) values++
    else if (code === QUOTE) i = endOfString(text, i)
  }
  return values
}

/** Position of the closing quote: the first one after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

/** Markdown and HTML are for people. */
const ONLY_JSON = 'nothing was imported; import reads JSON: offshoot export ID > FILE'

function parseJson(text: string): unknown {
  if (text.trim() === '') throw damaged('', 'it is empty')
  try {
    return JSON.parse(text)
  } catch (error) {
    const what = errorMessage(error)
    if (/end of JSON|Unterminated/.test(what)) throw damaged('', `it ends too early: ${what}`)
    throw new DamagedExport('', `it is not JSON: ${what}`, ONLY_JSON)
  }
}

function checkVersion(value: unknown): void {
  const version: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'version') : null
  if (typeof version !== 'number' || version <= EXPORT_VERSION) return
  throw new OffshootError(
    'usage',
    `the export has version ${version}, but this program reads only up to ${EXPORT_VERSION}`,
    { hint: 'update the program' },
  )
}

interface Level {
  readonly kind: keyof typeof levelSchemas
  readonly value: unknown
  readonly place: string
}

function checkShape(root: unknown): void {
  for (const problem of shapeProblems(root)) throw problem
}

/** Every place with an invalid shape. Works level by level, so that deep nesting cannot exhaust the stack. */
export function* shapeProblems(root: unknown): Generator<DamagedExport> {
  const open: Level[] = [{ kind: 'document', value: root, place: '' }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { kind, value, place } = next
    const { error } = levelSchemas[kind].safeParse(value)
    for (const issue of error?.issues ?? []) yield damaged(placeOf(place, issue), issueWords(issue, value))
    for (const inner of innerLevels(next).reverse()) open.push(inner)
  }
}

/** A field of that name at another level is kept but not read. */
function innerLevels({ kind, value, place }: Level): Level[] {
  const known = levelSchemas[kind].shape
  return (['messages', 'branches'] as const)
    .filter((name) => name in known)
    .flatMap((name) => levels(KINDS[name], (value as Fields | null | undefined)?.[name], at(place, name)))
}

type Fields = Readonly<Record<string, unknown>>

const KINDS = { messages: 'message', branches: 'branch' } as const

function levels(kind: Level['kind'], values: unknown, place: string): Level[] {
  return Array.isArray(values) ? values.map((value, i) => ({ kind, value, place: `${place}[${i}]` })) : []
}

function placeOf(place: string, { path }: z.core.$ZodIssue): string {
  return path.reduce<string>(
    (found, key) => (typeof key === 'number' ? `${found}[${key}]` : at(found, String(key))),
    place,
  )
}
