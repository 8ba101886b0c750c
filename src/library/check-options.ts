import { z } from 'zod'
import { nearestName } from '../core/nearest-name.ts'
import { OffshootError } from '../core/errors.ts'

type AnyFunction = (...args: never[]) => unknown

export const functionSchema = z.custom<AnyFunction>(
  (value) => typeof value === 'function',
  'expected a function',
)

/**
 * Checks options that may come from JavaScript. `elsewhere`: where an option of other calls belongs. @throws OffshootError `usage` with the
 * name of the option.
 */
export function checkOptions<T extends z.ZodType>(
  schema: T,
  value: unknown,
  where: string,
  elsewhere: Readonly<Record<string, string>> = {},
): z.output<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]!
  const path = issue.path.map(String).join('.')
  const at = path ? `${where}: ${path}` : where
  if (issue.code !== 'unrecognized_keys')
    throw new OffshootError('usage', `${at}: ${issue.message.replace(/^Invalid input: /, '')}`)
  const [key = ''] = issue.keys
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const near = nearestName(key, known)
  const place = path === '' && Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined
  const hint = place ? `${key} ${place}` : near ? `did you mean ${near}?` : `known: ${known.join(', ')}`
  throw new OffshootError('usage', `${at}: there is no option ${JSON.stringify(key)}`, { hint })
}

/** Requires a string that is not blank. @throws OffshootError `usage` */
export function checkText(value: unknown, where: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  const what = typeof value === 'string' ? 'an empty one' : value === null ? 'null' : typeof value
  throw new OffshootError('usage', `${where}: expected a string, got ${what}`)
}
