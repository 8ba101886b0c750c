import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { errorMessage } from '../core/errors.ts'
import { terminalLine } from '../core/terminal-text.ts'
import { mendInput, type InputIssue } from './mend-input.ts'
import { ToolError, type AnyTool } from './port.ts'
import { inputShape } from './tool-schema.ts'

/**
 * Checks a model's input against the tool's schema and returns it in the form for the tool. Text is parsed as JSON
 * first; alternative names, numbers in quotes and `null` for optional fields are fixed. @throws only ToolError
 * `invalid_input`, with the field, the expected and the received value.
 */
export function parseInput(tool: AnyTool, input: unknown): unknown {
  try {
    const { fields, twice } = renameFields(tool, readObject(input))
    checkText(fields)
    const read = check(tool, fields)
    if (isObject(read)) checkText(read) // a list sent as text is parsed only now
    checkTwice(tool, fields, read, twice)
    return read
  } catch (error) {
    const reason = error instanceof InputProblem ? error.message : unreadable(error)
    throw new ToolError(
      'invalid_input',
      `wrong input for ${tool.name}: ${shown(reason)}`,
      `expected: ${inputShape(tool)}`,
    )
  }
}

/** Sanitizes a reason: it quotes a model's input, and people read it too. */
function shown(reason: string): string {
  const line = terminalLine(reason.slice(0, MAX_REASON)).toWellFormed()
  return reason.length > MAX_REASON ? `${line}…` : line
}

class InputProblem extends Error {}

type Fields = Record<string, unknown>

const MAX_ISSUES = 5
const MAX_TWICE = 10
const MAX_PREVIEW = 80
const MAX_REASON = 1_500

/** Some models send the object as text, or as text within text. */
function readObject(input: unknown): Fields {
  let value = input
  for (let tries = 0; tries < 2 && typeof value === 'string' && value.trim() !== ''; tries++)
    value = readJson(value)
  if (value === undefined || value === null || value === '') return {}
  if (isObject(value)) return value
  throw new InputProblem(`expected an object, got ${describe(value)}`)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new InputProblem(
      `it is not JSON (${errorMessage(error).slice(0, MAX_PREVIEW)}); got ${describe(text)}`,
    )
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field that was sent under two names. */
interface SentTwice {
  readonly name: string
  readonly alias: string
  /** The value of `alias`. */
  readonly value: unknown
  /** The renamed field, with the other name's value. */
  readonly path: readonly (string | number)[]
}

function renameFields(tool: AnyTool, sent: Fields): { fields: Fields; twice: readonly SentTwice[] } {
  const aliases = Object.entries(tool.inputAliases ?? {})
  if (aliases.length === 0) return { fields: sent, twice: [] }
  const twice: SentTwice[] = []
  const fields = renameKeys(sent, aliases, [], twice)
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value))
      fields[name] = value.map((item: unknown, at) =>
        isObject(item) ? renameKeys(item, aliases, [name, at], twice) : item,
      )
  }
  return { fields, twice }
}

function renameKeys(
  fields: Fields,
  aliases: readonly (readonly [string, string])[],
  place: SentTwice['path'],
  twice: SentTwice[],
): Fields {
  const renamed = { ...fields }
  for (const [alias, name] of aliases) {
    if (!Object.hasOwn(renamed, alias)) continue
    const value = renamed[alias]
    delete renamed[alias]
    if (renamed[name] === undefined || renamed[name] === null) renamed[name] = value
    else if (value !== null && JSON.stringify(renamed[name]) !== JSON.stringify(value))
      twice.push({ name, alias, value, path: [...place, name] })
  }
  return renamed
}

/**
 * Compares parsed values, since "3" and 3 are the same number. Each comparison parses everything, so only a few are
 * made.
 */
function checkTwice(tool: AnyTool, fields: Fields, read: unknown, twice: readonly SentTwice[]): void {
  for (const [at, each] of twice.entries()) {
    if (at < MAX_TWICE && isSame(tool, fields, read, each)) continue
    const { name, alias } = each
    throw new InputProblem(`"${name}" and "${alias}" are the same field but differ; send only "${name}"`)
  }
}

function isSame(tool: AnyTool, fields: Fields, read: unknown, { name, value, path }: SentTwice): boolean {
  const other = structuredClone(fields)
  const holder = path.slice(0, -1).reduce<unknown>((inner, key) => (inner as Fields)[key], other)
  ;(holder as Fields)[name] = value
  const { success, data } = readFields(tool, other)
  return success && isDeepStrictEqual(data, read)
}

/** A lone surrogate would reach files and programs as a different character than the one that was approved. */
function checkText(fields: Fields): void {
  const pending: [path: string, value: unknown][] = Object.entries(fields)
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [path, value] = next
    if (typeof value === 'string' && !value.isWellFormed())
      throw new InputProblem(`${path}: the text is not valid Unicode`)
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) pending.push([`${path}.${key}`, inner])
    }
  }
}

function unreadable(error: unknown): string {
  if (error instanceof z.core.$ZodAsyncError)
    return 'its inputSchema has an async check, which is not supported'
  return `it cannot be read: ${errorMessage(error)}`
}

function check(tool: AnyTool, fields: Fields): unknown {
  const read = readFields(tool, fields)
  if (read.success) return read.data
  const lines = read.issues.slice(0, MAX_ISSUES).map((issue) => explain(issue, read.mended))
  if (read.issues.length > MAX_ISSUES) lines.push(`and ${read.issues.length - MAX_ISSUES} more`)
  throw new InputProblem(
    `${lines.join('; ')} (got the fields: ${Object.keys(fields).slice(0, 20).join(', ').slice(0, 300) || 'none'})`,
  )
}

function readFields(tool: AnyTool, fields: Fields) {
  const first = tool.inputSchema.safeParse(fields)
  if (first.success) return { success: true, data: first.data as unknown } as const
  const mended = mendInput(fields, first.error.issues)
  const second = tool.inputSchema.safeParse(mended)
  if (second.success) return { success: true, data: second.data as unknown } as const
  return { success: false, mended, issues: second.error.issues as readonly InputIssue[] } as const
}

function explain(issue: InputIssue, input: Fields): string {
  const field = issue.path.map(String).join('.') || 'input'
  const value = issue.path.reduce<unknown>(
    (inner, key) => (inner as Fields | undefined)?.[key as string],
    input,
  )
  if (value === undefined) return `${field} is missing${issue.expected ? ` (${issue.expected})` : ''}`
  const expected = issue.expected
    ? `expected ${issue.expected}`
    : issue.message.replace(/^Invalid (input|option): /, '')
  return `${field}: ${expected}, got ${describe(value)}`
}

function describe(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_PREVIEW)) : preview(value)
  const type = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
  const size = typeof value === 'string' && value.length > MAX_PREVIEW ? ` of ${value.length} characters` : ''
  return value === null ? 'null' : `${type}${size} ${text}`
}

function preview(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, MAX_PREVIEW)
  } catch {
    return '(too deep to show)'
  }
}
