import { fieldSpelled, definitionFields, parseField, type FieldName } from './definition-fields.ts'
import { isProgramTool, type Stranger } from '../core/rules/unknown-tool.ts'
import { nearestName } from '../core/nearest-name.ts'
import { readOnly } from './read-only.ts'
import { flat, restrictingWord } from './restricting-keys.ts'
import type { Rule } from '../core/agent.ts'

/** Path of a value within the fields: `['permissions', 0, 'tool']`. */
export type FieldPath = readonly PropertyKey[]

export interface FieldNote {
  readonly path: FieldPath
  /** A sentence without its subject, which is the field. */
  readonly problem: string
}

/** A tool that a field names and only a runtime may know. */
export type NamedTool = Pick<Stranger, 'tool' | 'kind'> & { readonly path: FieldPath }

export type Fields = Partial<Record<FieldName, unknown>>

export interface ReadFields {
  readonly fields: Fields
  /** The first invalid value of a field that grants, restricts or limits. */
  readonly wrong: FieldNote | null
  /** Ignored values. */
  readonly ignored: readonly FieldNote[]
  /** Unknown keys, with the probably intended one. */
  readonly unknown: readonly { readonly key: string; readonly near: string | undefined }[]
  readonly strangers: readonly NamedTool[]
}

/**
 * The only parser of agent fields: for agent files, `agents.NAME` in a configuration, and agents in code. `guessed`:
 * keys with an uncertain value.
 */
export function readFields(
  given: Iterable<readonly [string, unknown]>,
  guessed: ReadonlySet<string> = new Set(),
): ReadFields {
  const reading = new Reading(guessed)
  for (const [key, value] of given) reading.read(key, value)
  return reading.end()
}

/** Features without an implementation yet: refused, so that nobody relies on them. */
const NOT_YET: Readonly<Record<string, string>> = {
  hooks: 'hooks are not run yet',
  sandbox: 'the configuration decides it for all agents',
  sandboxmode: 'the configuration decides it for all agents',
  memory: 'agents have no memory of their own yet',
  announce: 'reports are always announced in full',
  announceformat: 'reports are always announced in full',
  disable: 'to switch a file off, rename or move it',
  disabled: 'to switch a file off, rename or move it',
}

class Reading {
  readonly #guessed: ReadonlySet<string>
  readonly #fields = new Map<FieldName, { readonly key: string; readonly value: unknown }>()
  readonly #ignored: FieldNote[] = []
  readonly #unknown: { key: string; near: string | undefined }[] = []
  readonly #strangers: NamedTool[] = []
  readonly #special = new Map<string, { readonly key: string; readonly value: unknown }>()
  #wrong: FieldNote | null = null

  constructor(guessed: ReadonlySet<string>) {
    this.#guessed = guessed
  }

  read(key: string, value: unknown): void {
    const name = fieldSpelled(key)
    if (name) this.#field(name, key, value)
    else this.#other(key, value)
  }

  #other(key: string, value: unknown): void {
    const special = flat(key)
    if (SPECIAL.has(special)) {
      if (this.#special.has(special) || this.#guessed.has(key))
        return this.#fail([key], 'it appears twice, or is not valid YAML')
      this.#special.set(special, { key, value })
      return
    }
    if (special === 'enabled' && value === false)
      return this.#fail([key], `it has no effect: ${NOT_YET['disabled']}; remove it`)
    if (Object.hasOwn(NOT_YET, special)) {
      if (!saysNo(value)) this.#fail([key], `it has no effect: ${NOT_YET[special]}; remove it`)
      return
    }
    const restricting = restrictingWord(key)
    if (restricting)
      return this.#fail(
        [key],
        `there is no field ${JSON.stringify(key.slice(0, 64))}; did you mean "${restricting}"?`,
      )
    this.#unknown.push({ key, near: nearestName(key, FIELDS) })
  }

  end(): ReadFields {
    this.#readOnly()
    this.#provider()
    this.#canSpawn()
    const fields = Object.fromEntries([...this.#fields].map(([name, { value }]) => [name, value]))
    return {
      fields,
      wrong: this.#wrong,
      ignored: this.#ignored,
      unknown: this.#unknown,
      strangers: this.#strangers,
    }
  }

  #field(name: FieldName, key: string, value: unknown): void {
    const { expected, strict } = definitionFields[name]
    if (name === 'mcpServers' && !saysNo(value))
      return this.#fail([key], 'it has no effect: MCP servers are not available yet; remove it')
    const parsed = parseField(name, value)
    const issue = parsed.error?.issues.find(({ code }) => code === 'custom')
    const why = issue && issue.message !== 'Invalid input' ? issue.message : undefined
    const path = [key, ...(issue?.path ?? [])]
    const detail = why ? ` (${why})` : ''
    if (strict && this.#guessed.has(key))
      this.#fail([key], `it appears twice, or is not valid YAML; expected ${expected}`)
    else if (parsed.success) this.#put(name, key, parsed.data)
    else if (strict) this.#fail(path, why && OWN_WORDS.has(name) ? why : `expected ${expected}${detail}`)
    else if (value !== null) this.#ignored.push({ path, problem: `expected ${expected}${detail}` })
  }

  /** Alternative spellings of a field must agree. */
  #put(name: FieldName, key: string, value: unknown): void {
    const first = this.#fields.get(name)
    if (first && JSON.stringify(first.value) !== JSON.stringify(value))
      return this.#fail([key], `"${first.key}" and "${key}" are the same field but differ; keep one of them`)
    this.#fields.set(name, { key, value })
    this.#strangers.push(...namedTools(name, key, value))
  }

  #readOnly(): void {
    const given = this.#special.get('readonly')
    if (!given) return
    if (typeof given.value !== 'boolean') return this.#fail([given.key], 'expected true or false')
    const rules = (this.#fields.get('permissions')?.value ?? []) as readonly Rule[]
    if (given.value) this.#fields.set('permissions', { key: given.key, value: readOnly(rules) })
  }

  #provider(): void {
    const given = this.#special.get('provider')
    if (!given) return
    const model = this.#fields.get('model')
    if (typeof given.value !== 'string' || !/^[\w-]+$/.test(given.value))
      return this.#fail([given.key], 'expected the name of a provider')
    if (typeof model?.value !== 'string')
      return this.#fail([given.key], 'a provider alone does not select a model; add "model"')
    const id = model.value
    const [before] = id.split('/')
    if (id.includes('/') && before !== given.value)
      return this.#fail(
        [given.key],
        `"${model.key}" names the provider ${before}, and "${given.key}" ${given.value}`,
      )
    this.#fields.set('model', { key: model.key, value: id.includes('/') ? id : `${given.value}/${id}` })
  }

  /** `false`: none; `true`: the listed ones, else all. */
  #canSpawn(): void {
    const given = this.#special.get('canspawnsubagents')
    if (!given) return
    if (typeof given.value !== 'boolean') return this.#fail([given.key], 'expected true or false')
    const spawns = this.#fields.get('spawns')
    const differs = spawns && given.value !== (spawns.value as readonly string[]).length > 0
    if (differs) return this.#fail([given.key], `"${spawns.key}" and "${given.key}" differ; keep one of them`)
    this.#fields.set('spawns', { key: given.key, value: spawns?.value ?? (given.value ? ['*'] : []) })
  }

  #fail(path: FieldPath, problem: string): void {
    this.#wrong ??= { path, problem }
  }
}

/** Whether a key of another program's file would mean something in ours. */
export function isOurs(key: string): boolean {
  const name = flat(key)
  return (
    fieldSpelled(key) !== undefined ||
    restrictingWord(key) !== undefined ||
    SPECIAL.has(name) ||
    PROMPTS.has(name) ||
    Object.hasOwn(NOT_YET, name)
  )
}

/** Alternative places of the prompt if there is no text below the front matter. */
export const PROMPTS: ReadonlySet<string> = new Set(['prompt', 'systemprompt'])
const SPECIAL = new Set(['readonly', 'provider', 'canspawnsubagents'])
/** Fields whose own message is complete. */
const OWN_WORDS: ReadonlySet<FieldName> = new Set(['permissions', 'isolation', 'backend'])
const FIELDS = [...Object.keys(definitionFields), 'name', 'description', 'prompt']

function namedTools(name: FieldName, key: string, value: unknown): NamedTool[] {
  const named: NamedTool[] = []
  if (name === 'permissions')
    (value as readonly Rule[]).forEach(({ tool }, at) =>
      named.push({ tool, kind: 'rule', path: [key, at, 'tool'] }),
    )
  if (name === 'tools' || name === 'disallowedTools')
    (value as readonly string[]).forEach((tool, at) => named.push({ tool, kind: 'list', path: [key, at] }))
  return named.filter(({ tool, kind }) => !isProgramTool(tool, kind))
}

/** `false`, null and an empty list ask for the default behaviour. */
function saysNo(value: unknown): boolean {
  return (
    value === false ||
    value === null ||
    value === undefined ||
    value === 'none' ||
    (Array.isArray(value) && value.length === 0)
  )
}
