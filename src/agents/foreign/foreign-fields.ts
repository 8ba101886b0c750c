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
  /** Keys whose value is not certain. */
  readonly guessed?: ReadonlySet<string>
  /** The line of the file in which a value is. */
  readonly lineOf?: (path: readonly PropertyKey[]) => number
}

/**
 * The keys of one file of another program. A reader takes those that it knows; what is left is kept as it is, unless it
 * restricts: an agent never does without a restriction that its file has. Nothing in such a file can give an agent more
 * than it would have without it.
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

  /** The first of these keys that has a value; all of them are gone afterwards. */
  take(...keys: readonly string[]): Json | undefined {
    const values = keys.map((key) => this.#fields.get(key))
    for (const key of keys) this.#fields.delete(key)
    return values.find((value) => value !== undefined && value !== null)
  }

  /** The same for what restricts the agent: it must be certain what it says. */
  takeStrict(...keys: readonly string[]): Json | undefined {
    const guessed = keys.find((key) => this.#guessed.has(key))
    if (guessed !== undefined)
      this.fail(`its ${guessed} cannot be read: it is not valid YAML, or stands twice`, guessed)
    return this.take(...keys)
  }

  /** Spellings of one key have to say the same. */
  agree(...keys: readonly string[]): void {
    const given = keys.filter((key) => (this.peek(key) ?? null) !== null)
    const [first = ''] = given
    const said = JSON.stringify(this.peek(first))
    const other = given.find((key) => JSON.stringify(this.peek(key)) !== said)
    if (other !== undefined)
      this.fail(`its ${first} and ${other} are the same and differ; keep one of them`, other)
  }

  /** Puts back a key that had its effect, so that what it said exactly is not lost. */
  keep(key: string, value: Json): void {
    this.#fields.set(key, value)
    this.#heeded.add(key)
  }

  ignore(message: string): void {
    this.warnings.push(message)
  }

  /** The file is no agent, because of what `key` says. The first reason counts. */
  fail(problem: string, key?: string): void {
    const line = key === undefined ? undefined : this.#lineOf?.([key])
    this.#problem ??= line === undefined ? problem : `${problem} (line ${line})`
  }

  /** A value that stays where it is. */
  peek(key: string): Json | undefined {
    return this.#fields.get(key)
  }

  /** The keys that no reader has taken. */
  left(): readonly string[] {
    return [...this.#fields.keys()].filter((key) => !this.#heeded.has(key))
  }

  /** `found` as an agent; values that our fields cannot hold are ignored by name, those that restrict are errors. */
  agent(path: string, prompt: string, found: FoundFields): ParsedDefinition {
    const identity = readIdentity({ fields: this.#fields }, path)
    this.take('name', 'description')
    const fields = this.#withoutIdle(this.#checked(withLeftRestrictions(this, found)))
    const skipped = this.#problem ?? (typeof identity === 'string' ? identity : null)
    if (skipped !== null || typeof identity === 'string')
      return { skipped: skipped!, warnings: this.warnings }
    const idle = this.left()
    if (idle.length > 0) this.ignore(`kept, without effect here: ${listed(idle)}`)
    const extra = this.#fields.size > 0 ? { extra: Object.fromEntries(this.#fields) } : {}
    const agent: AgentDefinition = { ...identity, ...fields, ...extra, prompt, source: path }
    return { agent, warnings: this.warnings }
  }

  /** Its own program leaves out what does nothing for a model, too. */
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

/** Of a Markdown file; a sentence instead where it has none that can be read. */
export function foreignFieldsOf(text: string): ForeignFields | string {
  const matter = readFrontMatter(text, { lenient: true })
  if (typeof matter === 'string') return matter
  return new ForeignFields(matter.fields, matter)
}

export function isMap(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
