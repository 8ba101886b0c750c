import { basename, dirname } from 'node:path'
import { readFrontMatter } from './front-matter.ts'

const MAX_NAME_CHARS = 128

export interface ParsedSkill {
  readonly name: string
  readonly description: string
  /** Why it is none; null: it is one. */
  readonly skipped: string | null
  readonly warnings: readonly string[]
}

/** Never throws. Without a name it has that of its folder. */
export function parseSkill(text: string, path: string): ParsedSkill {
  const matter = readFrontMatter(text, { lenient: true })
  if (typeof matter === 'string') return skipped(matter)
  const { fields, warnings } = matter
  const name = plain(fields.has('name') ? fields.get('name') : basename(dirname(path)))
  const description = plain(fields.get('description'))
  if (name === '') return skipped('its name is empty', warnings)
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name))
    return skipped('its name contains invisible characters', warnings)
  if (name.length > MAX_NAME_CHARS)
    return skipped(`its name is longer than ${MAX_NAME_CHARS} characters`, warnings)
  if (description === '') return skipped('it has no description', warnings)
  return { name, description, skipped: null, warnings }
}

/** Of what is no skill. */
export function skipped(problem: string, warnings: readonly string[] = []): ParsedSkill {
  return { name: '', description: '', skipped: problem, warnings }
}

function plain(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
}
