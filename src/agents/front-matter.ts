import { parseDocument } from 'yaml'
import type { Json } from '../core/json.ts'
import { lineOfPath } from './front-matter-lines.ts'

export interface FrontMatter {
  readonly fields: ReadonlyMap<string, Json>
  /** Keys with invalid YAML, or that appear twice: their value in `fields` is a guess. */
  readonly guessed: ReadonlySet<string>
  readonly warnings: readonly string[]
  /** The text below the front matter; the whole text without any. */
  readonly body: string
  /** The line of a value in the file, from 1; if unknown, the line of the nearest value around it. */
  lineOf(path: readonly PropertyKey[]): number
}

/** Larger front matter is refused, to keep parsing fast. Characters. */
const MAX_CHARS = 32 * 1024

/**
 * Reads the block between two `---` lines at the start of a Markdown file. Front matter is often invalid YAML (a colon
 * in an unquoted description); then each top-level key is read separately. Returns a sentence if the block is too large
 * or not closed; with `lenient`, an unclosed block ends where it no longer looks like front matter.
 */
export function readFrontMatter(text: string, { lenient = false } = {}): FrontMatter | string {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  if (lines[0]?.trimEnd() !== '---') return { ...nothing, body: lines.join('\n').trim(), lineOf: () => 1 }
  const close = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---')
  if (close < 0 && !lenient) return 'its front matter is not closed by a line ---'
  const end = close < 0 ? guessedEnd(lines) : close
  const block = lines.slice(1, end)
  if (block.join('\n').length > MAX_CHARS) return `its front matter is longer than ${MAX_CHARS} characters`
  const { warnings, ...fields } = readFields(block)
  const open = `its front matter is not closed by a line ---; it is read up to line ${end}`
  return {
    ...fields,
    warnings: close < 0 ? [open, ...warnings] : warnings,
    body: lines
      .slice(close < 0 ? end : end + 1)
      .join('\n')
      .trim(),
    lineOf: (path) => lineOfPath(block, path),
  }
}

/** The first line that is neither a key nor part of one: a heading, or text at the start of a line. */
function guessedEnd(lines: readonly string[]): number {
  const end = lines.findIndex((line, at) => at > 0 && !/^($|\s|-\s)/.test(line) && keyOf(line) === undefined)
  return end < 0 ? lines.length : end
}

const nothing = { fields: new Map<string, Json>(), guessed: new Set<string>(), warnings: [] }

function readFields(lines: readonly string[]): Omit<FrontMatter, 'body' | 'lineOf'> {
  const whole = parseYaml(textOf(lines))
  if (whole === null) return nothing
  if (isMap(whole))
    return { ...nothing, fields: new Map(Object.entries(whole).map(([key, value]) => [key, value ?? null])) }
  return readKeyByKey(lines)
}

/** The last line keeps its line break, which matters for texts that keep trailing empty lines. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

function readKeyByKey(lines: readonly string[]): Omit<FrontMatter, 'body' | 'lineOf'> {
  const fields = new Map<string, Json>()
  const guessed = new Set<string>()
  const warnings: string[] = []
  for (const block of keyBlocks(lines)) {
    const at = `line ${block.line}`
    if (block.key === null) {
      warnings.push(`${at}: not \`key: value\`, ignored`)
      continue
    }
    if (fields.has(block.key)) {
      guessed.add(block.key)
      warnings.push(`${at}: ${block.key} appears twice; the last one applies`)
    }
    const value = parseYaml(textOf(block.lines.map(withoutTabs)))
    const parsed = isMap(value) && block.key in value
    fields.set(block.key, parsed ? (value[block.key] ?? null) : plainText(block.lines))
    if (parsed) continue
    guessed.add(block.key)
    warnings.push(`${at}: the value of ${block.key} is not valid YAML; it is read as plain text`)
  }
  return { fields, guessed, warnings: bounded(warnings) }
}

/** Text that is no front matter has a problem in each line. */
const MAX_WARNINGS = 20

function bounded(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - MAX_WARNINGS
  return more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `${more} more problems`] : warnings
}

interface KeyBlock {
  /** null: lines before the first key. */
  readonly key: string | null
  /** Counted in the file, from 1. */
  readonly line: number
  readonly lines: string[]
}

/** A key at the start of a line, with the lines that belong to it. */
function keyBlocks(lines: readonly string[]): KeyBlock[] {
  const blocks: KeyBlock[] = []
  lines.forEach((line, index) => {
    const key = keyOf(line)
    const open = blocks.at(-1)
    if (key !== undefined) blocks.push({ key, line: index + 2, lines: [line] })
    else if (open) open.lines.push(line)
    else if (line.trim() !== '' && !line.startsWith('#'))
      blocks.push({ key: null, line: index + 2, lines: [line] })
  })
  return blocks
}

/** YAML refuses leading tabs, but people write them. */
function withoutTabs(line: string): string {
  return line.replace(/^\s+/, (space) => space.replaceAll('\t', '  '))
}

function keyOf(line: string): string | undefined {
  return /^([A-Za-z_$][\w$.-]*)[ \t]*:(?:[ \t]|$)/.exec(line)?.[1]
}

function plainText(lines: readonly string[]): string {
  const [first = '', ...rest] = lines
  const start = first
    .slice(first.indexOf(':') + 1)
    .trim()
    .replace(/^[|>][+-]?$/, '')
  const text = [start, ...rest.map((line) => line.trim())].filter((line) => line !== '').join(' ')
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text
}

/** undefined: invalid YAML. Values are plain data: no tags, no merge keys, few aliases. */
function parseYaml(text: string): Json | undefined {
  try {
    const document = parseDocument(text, {
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
      prettyErrors: false,
    })
    if (document.errors.length > 0) return undefined
    return plainData(document.toJS({ maxAliasCount: 20 }))
  } catch {
    return undefined // nested too deeply, or an alias that grows too large
  }
}

/** Without dates, instances and numbers that JSON does not have. */
export function plainData(value: unknown): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(plainData)
  if (typeof value !== 'object') return null
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainData(item)]))
}

function isMap(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
