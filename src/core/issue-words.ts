import type { z } from 'zod'
import { shown } from './rules/quoted-value.ts'

/** The messages of the library that checks; a message of a schema of ours is a sentence already. */
const OF_LIBRARY = /^(?:Invalid input: |Invalid option: |Too small: |Too big: )/

/** What an invalid value must be, as a sentence without a place. `given`: the whole value that was checked. */
export function issueWords(issue: z.core.$ZodIssue, given: unknown): string {
  if (!OF_LIBRARY.test(issue.message)) return issue.message
  const value = valueAt(given, issue.path)
  switch (issue.code) {
    case 'invalid_value':
      return `expected ${choice(issue.values)}, got ${named(value)}`
    case 'invalid_type':
      return `expected ${KINDS[issue.expected] ?? issue.expected}, got ${named(value)}`
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'it is empty'
      if (typeof value === 'number')
        return `expected ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}, got ${value}`
      break
    case 'too_big':
      if (typeof value === 'number')
        return `expected ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}, got ${value}`
      break
    default:
  }
  return issue.message.replace(OF_LIBRARY, '')
}

function choice(values: readonly unknown[]): string {
  const all = values.map((value) => shown(value))
  return all.length === 1 ? all[0]! : `one of ${all.join(', ')}`
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** What is large is not written out. */
function named(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : shown(value)
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    given,
  )
}
