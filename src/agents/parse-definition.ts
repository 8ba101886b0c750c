import type { AgentDefinition } from '../core/agent.ts'
import type { Json } from '../core/json.ts'
import { definitionFields, fieldLike, fieldNamed, parseField, type FieldName } from './definition-fields.ts'
import { type FrontMatter, readFrontMatter } from './front-matter.ts'

/** One file: an agent, or why there is none; and what of the file was ignored or guessed, a sentence each. */
export type ParsedDefinition = (
  | { readonly agent: AgentDefinition }
  | {
      /** A sentence without its subject, which is the file: `it has no description`. */
      readonly skipped: string
    }
) & { readonly warnings: readonly string[] }

const MAX_NAME_CHARS = 128

/**
 * Reads an agent file of our own format: Markdown whose front matter holds the fields of tools.md §5. Never throws.
 * `source` is the file's path, which names the agent where the front matter does not.
 */
export function parseDefinition(text: string, source: string): ParsedDefinition {
  const matter = readFrontMatter(text)
  if (typeof matter === 'string') return { skipped: matter, warnings: [] }
  const warnings = [...matter.warnings]
  const identity = readIdentity(matter, source)
  if (typeof identity === 'string') return { skipped: identity, warnings }
  const { fields, extra, problem } = readFields(matter, warnings)
  if (problem) return { skipped: problem, warnings }
  if (!isAscii(identity.name)) warnings.push(`the name ${identity.name} has characters outside ASCII`)
  const agent = { ...identity, ...withToolName(fields, identity.name), prompt: matter.body, source }
  return { agent: extra.size > 0 ? { ...agent, extra: Object.fromEntries(extra) } : agent, warnings }
}

type Identity = Pick<AgentDefinition, 'name' | 'description'>

export function readIdentity({ fields }: Pick<FrontMatter, 'fields'>, source: string): Identity | string {
  const name = fields.has('name') ? plain(fields.get('name')) : nameOfFile(source)
  if (name === '') return 'its name is empty'
  if (name.includes(':')) return 'its name contains a colon'
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return 'its name contains invisible characters'
  if (name.length > MAX_NAME_CHARS) return `its name is longer than ${MAX_NAME_CHARS} characters`
  const description = plain(fields.get('description'))
  return description === '' ? 'it has no description' : { name, description }
}

/** `agents/critic.agent.md` -> `critic` */
export function nameOfFile(path: string): string {
  const base = path.split(/[/\\]/).at(-1) ?? ''
  return base.replace(/(\.agent)?\.md$|\.toml$/i, '').trim()
}

interface Fields {
  readonly fields: Partial<Record<FieldName, unknown>>
  readonly extra: ReadonlyMap<string, Json>
  readonly problem: string | null
}

function readFields(matter: FrontMatter, warnings: string[]): Fields {
  const fields: Partial<Record<FieldName, unknown>> = {}
  const extra = new Map<string, Json>()
  const fail = (problem: string): Fields => ({ fields, extra, problem })
  for (const [key, value] of matter.fields) {
    if (key === 'name' || key === 'description') continue
    const name = fieldNamed(key)
    const near = name ?? fieldLike(key)
    if (!name && near && definitionFields[near].strict)
      return fail(`it has no field ${key}; ${near} was probably meant`)
    if (!name) {
      extra.set(key, value)
      if (near) warnings.push(`${key} is not known and has no effect; ${near} was probably meant`)
      continue
    }
    const { expected, strict } = definitionFields[name]
    const parsed = parseField(name, value)
    const readable = parsed.success && !(strict && (matter.guessed.has(key) || name in fields))
    if (readable) fields[name] = parsed.data
    else if (strict)
      return fail(`its field ${key} cannot be read: expected ${expected}${detail(parsed.error)}`)
    else if (value !== null) warnings.push(`${key} is ignored: expected ${expected}${detail(parsed.error)}`)
  }
  return { fields, extra, problem: null }
}

/** The reason that our own checks of a schema give; zod's own words add nothing to what is expected. */
function detail(
  error: { readonly issues: readonly { readonly code: string; readonly message: string }[] } | undefined,
): string {
  const issue = error?.issues.find(({ code }) => code === 'custom')
  return issue && issue.message !== 'Invalid input' ? ` (${issue.message})` : ''
}

/** `exposeAsTool: true` takes the agent's own name. */
function withToolName(fields: Fields['fields'], agentName: string): object {
  const { exposeAsTool, ...others } = fields
  if (typeof exposeAsTool !== 'boolean') return fields
  const name = toolNameOf(agentName)
  return exposeAsTool && name !== '' ? { ...others, exposeAsTool: { name } } : others
}

/** The name of the tool that an agent is offered as; empty where its own has nothing of one. */
export function toolNameOf(agentName: string): string {
  return agentName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
}

function plain(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).trim()
    : ''
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}
