import { idleOfAgent } from '../../core/idle-setting.ts'
import type { AgentDefinition } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import { definitionFields, parseField, type FieldName } from '../definition-fields.ts'
import { readFrontMatter } from '../front-matter.ts'
import { readIdentity, type ParsedDefinition } from '../parse-definition.ts'
import { withLeftRestrictions, type FoundFields } from './remaining-restrictions.ts'
import { listed } from './name-list.ts'

export interface ForeignFieldsOptions {
  /** The prompt. */
  readonly body?: string
  readonly warnings?: readonly string[]
  /** Keys with an uncertain value. */
  readonly guessed?: ReadonlySet<string>
  /** Line of a value in the file. */
  readonly lineOf?: (path: readonly PropertyKey[]) => number
}

/**
 * The keys of one file of another program. A reader takes the keys that it knows; the rest are kept unchanged, unless
 * they restrict: an agent must never lose a restriction of its file. Nothing in such a file can give an agent more
 * rights.
 */
export class ForeignFields {
  readonly warnings: string[]
  readonly body: string
  readonly #fields: Map<string, Json>
  readonly #guessed: ReadonlySet<string>
  readonly #lineOf: ForeignFieldsOptions['lineOf']
  readonly #heeded = new Set<string>()
  #problem: string | null = null

  constructor(
    fields: ReadonlyMap<string, Json>,
    { body = '', warnings = [], guessed = new Set(), lineOf }: ForeignFieldsOptions = {},
  ) {
    this.#fields = new Map(fields)
    this.#guessed = guessed
    this.#lineOf = lineOf
    this.body = body
    this.warnings = [...warnings]
  }

  /** The value of the first of these keys that has one; removes all of them. */
  take(...keys: readonly string[]): Json | undefined {
    const values = keys.map((key) => this.#fields.get(key))
    for (const key of keys) this.#fields.delete(key)
    return values.find((value) => value !== undefined && value !== null)
  }

  /** The same for restrictions, whose value must be certain. */
  takeStrict(...keys: readonly string[]): Json | undefined {
    const guessed = keys.find((key) => this.#guessed.has(key))
    if (guessed !== undefined)
      this.fail(`its ${guessed} cannot be read: it is not valid YAML, or appears twice`, guessed)
    return this.take(...keys)
  }

  /** Alternative spellings of a key must agree. */
  agree(...keys: readonly string[]): void {
    const given = keys.filter((key) => (this.peek(key) ?? null) !== null)
    const [first = ''] = given
    const said = JSON.stringify(this.peek(first))
    const other = given.find((key) => JSON.stringify(this.peek(key)) !== said)
    if (other !== undefined)
      this.fail(`its ${first} and ${other} set the same thing but differ; keep one of them`, other)
  }

  /** Puts back a key after its effect, so that its exact value is kept. */
  keep(key: string, value: Json): void {
    this.#fields.set(key, value)
    this.#heeded.add(key)
  }

  ignore(message: string): void {
    this.warnings.push(message)
  }

  /** Rejects the file because of `key`. The first reason counts. */
  fail(problem: string, key?: string): void {
    const line = key === undefined ? undefined : this.#lineOf?.([key])
    this.#problem ??= line === undefined ? problem : `${problem} (line ${line})`
  }

  /** A value that stays where it is. */
  peek(key: string): Json | undefined {
    return this.#fields.get(key)
  }

  /** Keys that no reader has taken. */
  left(): readonly string[] {
    return [...this.#fields.keys()].filter((key) => !this.#heeded.has(key))
  }

  /**
   * Builds an agent from `found`; values that our fields cannot hold are ignored by name, or errors if they restrict.
   */
  agent(path: string, prompt: string, found: FoundFields): ParsedDefinition {
    const identity = readIdentity({ fields: this.#fields }, path)
    this.take('name', 'description')
    const fields = this.#withoutIdle(this.#checked(withLeftRestrictions(this, found)))
    const skipped = this.#problem ?? (typeof identity === 'string' ? identity : null)
    if (skipped !== null || typeof identity === 'string')
      return { skipped: skipped!, warnings: this.warnings }
    const idle = this.left()
    if (idle.length > 0) this.ignore(`kept, but has no effect here: ${listed(idle)}`)
    const extra = this.#fields.size > 0 ? { extra: Object.fromEntries(this.#fields) } : {}
    const agent: AgentDefinition = { ...identity, ...fields, ...extra, prompt, source: path }
    return { agent, warnings: this.warnings }
  }

  /** Its own program also ignores settings without an effect for a model. */
  #withoutIdle(fields: Partial<AgentDefinition>): Partial<AgentDefinition> {
    const idle = idleOfAgent(fields)
    if (!idle) return fields
    this.ignore(`${idle.name} is ignored: ${idle.why}`)
    const { [idle.name]: _, ...rest } = fields
    return this.#withoutIdle(rest)
  }

  #checked(found: FoundFields): Partial<AgentDefinition> {
    const fields = new Map<string, unknown>()
    for (const [name, value] of Object.entries(found) as [FieldName, unknown][]) {
      if (value === undefined || value === null) continue
      const parsed = parseField(name, value)
      const { expected, strict } = definitionFields[name]
      const said = parsed.error?.issues.find(({ code }) => code === 'custom')?.message
      if (parsed.success) fields.set(name, parsed.data)
      else if (strict && name !== 'mcpServers')
        this.fail(`its ${name} cannot be read: ${said ?? `expected ${expected}`}`, name)
      else this.ignore(`${name} is ignored: expected ${expected}`)
    }
    return Object.fromEntries(fields)
  }
}

/** Parses a Markdown file; returns a sentence if it cannot be read. */
export function foreignFieldsOf(text: string): ForeignFields | string {
  const matter = readFrontMatter(text, { lenient: true })
  if (typeof matter === 'string') return matter
  return new ForeignFields(matter.fields, matter)
}

export function isMap(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
