import type { AgentDefinition } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import { definitionFields, parseField, type FieldName } from '../definition-fields.ts'
import { readFrontMatter } from '../front-matter.ts'
import { readIdentity, type ParsedDefinition } from '../parse-definition.ts'
import { listed } from './listed.ts'

/** What the reader of one kind of file found for the fields of our definition. */
export type Found = Partial<Record<Exclude<FieldName, 'inputSchema' | 'outputSchema'>, unknown>>

/**
 * The keys of one file of another program. A reader takes those that it knows; what is left is kept as it is. Nothing
 * in such a file can give an agent more than it would have without it.
 */
export class Sheet {
  readonly warnings: string[]
  readonly body: string
  readonly #fields: Map<string, Json>
  readonly #guessed: ReadonlySet<string>
  readonly #heeded = new Set<string>()
  #problem: string | null = null

  constructor(
    fields: ReadonlyMap<string, Json>,
    body: string,
    warnings: readonly string[] = [],
    guessed: ReadonlySet<string> = new Set(),
  ) {
    this.#fields = new Map(fields)
    this.#guessed = guessed
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
      this.fail(`its ${guessed} cannot be read: it is not valid YAML, or stands twice`)
    return this.take(...keys)
  }

  /** Puts back a key that had its effect, so that what it said exactly is not lost. */
  keep(key: string, value: Json): void {
    this.#fields.set(key, value)
    this.#heeded.add(key)
  }

  ignore(message: string): void {
    this.warnings.push(message)
  }

  /** The file is no agent. The first reason counts. */
  fail(problem: string): void {
    this.#problem ??= problem
  }

  /** `found` as an agent; values that our fields cannot hold are ignored by name. */
  agent(path: string, prompt: string, found: Found): ParsedDefinition {
    const identity = readIdentity({ fields: this.#fields }, path)
    const skipped = this.#problem ?? (typeof identity === 'string' ? identity : null)
    if (skipped !== null || typeof identity === 'string')
      return { skipped: skipped!, warnings: this.warnings }
    this.take('name', 'description')
    const fields = this.#checked(found)
    const idle = [...this.#fields.keys()].filter((key) => !this.#heeded.has(key))
    if (idle.length > 0) this.ignore(`kept, without effect here: ${listed(idle)}`)
    const extra = this.#fields.size > 0 ? { extra: Object.fromEntries(this.#fields) } : {}
    const agent: AgentDefinition = { ...identity, ...fields, ...extra, prompt, source: path }
    return { agent, warnings: this.warnings }
  }

  #checked(found: Found): object {
    const fields = new Map<string, unknown>()
    for (const [name, value] of Object.entries(found) as [FieldName, unknown][]) {
      if (value === undefined || value === null) continue
      const parsed = parseField(name, value)
      if (parsed.success) fields.set(name, parsed.data)
      else this.ignore(`${name} is ignored: expected ${definitionFields[name].expected}`)
    }
    return Object.fromEntries(fields)
  }
}

/** Of a Markdown file; a sentence instead where it has none that can be read. */
export function sheetOf(text: string): Sheet | string {
  const matter = readFrontMatter(text, { lenient: true })
  if (typeof matter === 'string') return matter
  return new Sheet(matter.fields, matter.body, matter.warnings, matter.guessed)
}

/** `true`, `yes` and `on` are the same to those who write by hand. */
export function isTrue(value: Json | undefined): boolean {
  return value === true || (typeof value === 'string' && /^(true|yes|on)$/i.test(value.trim()))
}

export function isMap(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
